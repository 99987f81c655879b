import { withMeasure } from '../../blobs/blob-bytes.js';
import type { Clock } from '../../shared/clock.js';
import { DomainError, isOutage } from '../../shared/errors.js';
import type { Reader, Transactional } from '../../shared/transactional.js';
import { type ImportPhoto, isAwaited, newUploadId, requireSameBytes } from '../import-photo.js';
import type { UploadGrant } from '../target.js';
import { PartReader } from './part-reader.js';
import {
  abandonedUntil,
  MAX_PARTS,
  newResumableUpload,
  offsetOf,
  partKeys,
  type ResumableUpload,
  type UploadPart,
} from './resumable-upload.js';
import {
  type GrantUses,
  requireDiskSpace,
  requireStagedBytes,
  requireUploadItem,
  type StageUses,
  stageUpload,
  tooLong,
  type Upload,
  uploadForbidden,
} from './upload.js';
import { inProgress, replaced, type UploadSlots } from './upload-slots.js';

/**
 * Receives bytes of one item from an offset of the file on, and the item with the last of them. Bytes that have arrived are stored whatever
 * happens then, and need not be sent again for 24 hours. One request at a time; asking for the offset ends it. Errors: those of `receiveUpload`,
 * and `upload_offset_mismatch` when the stored bytes end elsewhere; after a wrong hash nothing is stored.
 */
export async function continueUpload(
  uses: GrantUses & PartsUses & ClaimUses,
  upload: Upload & { readonly offset: number },
): Promise<UploadProgress> {
  const { grant, item } = await requireUploadItem(uses, upload);
  const { sizeBytes, expiresAt } = grant;
  const isTooLong = upload.offset + (upload.declaredBytes ?? 0) > sizeBytes;
  if (!isAwaited(item, grant)) {
    requireReceived(item, grant);
    requireOffset(upload.offset, sizeBytes);
    if (isTooLong) throw tooLong(grant);
    return { offset: sizeBytes, sizeBytes, expiresAt };
  }
  if (isTooLong) {
    // From another offset it may not be.
    const known = await uses.store.query(grant.customerId, (reader) => currentUpload(uses, reader, grant, item));
    requireOffset(upload.offset, known === null ? sizeBytes : offsetOf(known));
    throw tooLong(grant);
  }
  if (upload.isGone?.()) throw new DomainError('request_timeout', 'The client disconnected.');
  let received = upload.offset;
  const slot = uses.uploads.take({ ...grant, remaining: () => sizeBytes - received, isResumable: true });
  const reader = new PartReader(slot.guarded(upload.bytes), uses.clock);
  try {
    await requireDiskSpace(uses, 0);
    const claimed = await claimUpload(uses, grant, upload.offset);
    const offset = await receiveParts(uses, { grant, reader, upload: claimed }, (stored) => {
      received = stored;
    });
    return { offset, sizeBytes, expiresAt };
  } finally {
    reader.close();
    slot.close();
  }
}

type ClaimUses = {
  store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
  clock: Clock;
};

/**
 * The upload, which only this request adds to from now on. Errors: `upload_offset_mismatch`, `upload_in_progress`; those of
 * `currentUpload`.
 */
function claimUpload(
  uses: GrantUses & PartsUses & ClaimUses,
  grant: UploadGrant,
  offset: number,
): Promise<ResumableUpload> {
  return uses.store.transaction(grant.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(grant.importId, grant.itemId);
    const known = await currentUpload(uses, transaction, grant, item);
    // If it no longer waits, the client that asks for the offset is told why.
    if (known === null) throw offsetMismatch(offset, grant.sizeBytes);
    if (known.sender !== null) throw inProgress();
    requireOffset(offset, offsetOf(known));
    const claimed = { ...known, sender: newUploadId(), updatedAt: uses.clock.now() };
    await transaction.resumableUploads.put(claimed);
    return claimed;
  });
}

/** Errors: `upload_offset_mismatch`. */
function requireOffset(offset: number, stored: number): void {
  if (offset !== stored) throw offsetMismatch(offset, stored);
}

function offsetMismatch(offset: number, stored: number): DomainError {
  const message = `${stored} bytes are stored, but the request begins at byte ${offset}. Ask for the offset, and go on from there.`;
  return new DomainError('upload_offset_mismatch', message, { offset: stored });
}

export interface UploadProgress {
  /** Bytes that need not be sent again. All of them: the item has its bytes. */
  readonly offset: number;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
}

type IdleUses = { store: Transactional<'importPhotos' | 'resumableUploads'>; clock: Clock };

/**
 * Returns how far the upload is that this address is for. A request that is still sending to it ends, and what it has brought is included: its sender
 * asks because it wants to go on over another connection. Errors: `upload_forbidden`, `import_photo_final`.
 */
export async function readUploadProgress(
  uses: GrantUses & IdleUses & { uploads: UploadSlots },
  target: { readonly token: string; readonly address: string | null },
): Promise<UploadProgress> {
  const { grant } = await requireUploadItem(uses, target);
  // One whose connection broke ends by itself, once it has read what had arrived before.
  if ((await senderAfter(uses, grant, ENDING_TRIES)) !== null) uses.uploads.interrupt(grant.itemId);
  // It stores what it has got, which takes a moment. One that does not finish in time, as its process died or does not notice, can no longer
  // add anything.
  const sender = await senderAfter(uses, grant, IDLE_TRIES);
  if (sender !== null) await release(uses, { ...grant, sender });
  const item = await uses.importSteps.readItem(grant.customerId, grant.importId, grant.itemId);
  if (item === null) throw uploadForbidden();
  const known = await uses.store.query(grant.customerId, (reader) => currentUpload(uses, reader, grant, item));
  if (known === null) requireReceived(item, grant);
  const { sizeBytes, expiresAt } = grant;
  return { offset: known === null ? sizeBytes : offsetOf(known), sizeBytes, expiresAt };
}

/** The upload that bytes are added to: a new one if there is none that they could follow; null when the item does not wait for them. */
async function currentUpload(
  { clock }: { clock: Clock },
  { resumableUploads }: Reader<'resumableUploads'>,
  grant: UploadGrant,
  item: ImportPhoto | null,
): Promise<ResumableUpload | null> {
  if (item === null || !isAwaited(item, grant)) return null;
  const known = await resumableUploads.get(item.id);
  const isAbandoned = known !== null && known.updatedAt.getTime() <= abandonedUntil(clock.now()).getTime();
  const isOurs = known?.uploadId === item.uploadId && !isAbandoned;
  return isOurs ? known : newResumableUpload(item, clock.now());
}

/** An item that has its bytes has all of this upload, unless it was declared with other ones. Errors: `import_photo_final`. */
function requireReceived(item: ImportPhoto, { sha256 }: UploadGrant): void {
  requireSameBytes(item, { sha256: sha256 ?? item.sha256 });
}

const TRY_AFTER_MS = 50;
const ENDING_TRIES = 40;
const IDLE_TRIES = 100;

/** Null as soon as no request adds to the upload; otherwise the one that still does. */
async function senderAfter({ store, clock }: IdleUses, { customerId, itemId }: UploadGrant, tries: number) {
  for (let left = tries; ; left -= 1) {
    const sender = (await store.query(customerId, (reader) => reader.resumableUploads.get(itemId)))?.sender ?? null;
    if (sender === null || left <= 1) return sender;
    await clock.pause(TRY_AFTER_MS);
  }
}

/** Makes this sender unable to add anything. */
function release(
  { store }: Pick<IdleUses, 'store'>,
  { customerId, importId, itemId, sender }: Pick<ResumableUpload, 'customerId' | 'importId' | 'itemId' | 'sender'>,
): Promise<void> {
  return store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    await importPhotos.lock(importId, itemId);
    const known = await resumableUploads.get(itemId);
    if (known !== null && known.sender === sender) await resumableUploads.put({ ...known, sender: null });
  });
}

/** Bytes that may be lost when the process dies, and at most what an object store takes in one call. */
export const PART_BYTES = 8 * 1024 ** 2;

/** Stores the bytes of a request part by part; the last of the file completes the item. Resolves with the offset that was reached. */
export async function receiveParts(
  uses: PartsUses,
  { reader, ...sending }: Sending,
  onStored: (offset: number) => void,
): Promise<number> {
  const { grant } = sending;
  let { upload } = sending;
  try {
    while (await reader.hasMore()) {
      upload = await withFewParts(uses, upload);
      const left = grant.sizeBytes - offsetOf(upload);
      const part = await storePart(uses, upload, reader.part(Math.min(PART_BYTES, left)));
      onStored(offsetOf(upload) + part.sizeBytes);
      if (part.sizeBytes === left) {
        await complete(uses, { grant, reader, upload }, part);
        upload = { ...upload, sender: null };
        return grant.sizeBytes;
      }
      upload = await replaceParts(uses, upload, [...upload.parts, part], [part], reader.isDone);
    }
    if (reader.failure !== null) throw reader.failure.error;
    return offsetOf(upload);
  } finally {
    // Best effort: no request waits for it for long.
    if (upload.sender !== null) await release(uses, upload).catch(() => undefined);
  }
}

interface Sending {
  readonly grant: UploadGrant;
  readonly reader: PartReader;
  /** The upload as it is when the next part is added. */
  readonly upload: ResumableUpload;
}

/** Connections that break all the time would leave more and more of them. */
async function withFewParts(uses: PartsUses, upload: ResumableUpload): Promise<ResumableUpload> {
  if (upload.parts.length < MAX_PARTS) return upload;
  const whole = await storePart(uses, upload, bytesOf(uses, upload));
  const joined = await replaceParts(uses, upload, [whole], [whole], false);
  await uses.blobs.delete(partKeys(upload));
  return joined;
}

/** All bytes are there: they become the bytes of the item, as if they had come in one request. */
async function complete(uses: PartsUses, { grant, reader, upload }: Sending, last: UploadPart): Promise<void> {
  const whole = { ...upload, parts: [...upload.parts, last] };
  let isOver = false;
  try {
    if (await reader.hasMore()) throw tooLong(grant);
    await requireDiskSpace(uses, grant.sizeBytes);
    const { bytes, measure } = withMeasure(bytesOf(uses, whole), grant.sizeBytes);
    await stageUpload(uses, grant, bytes, measure);
    isOver = true;
  } catch (error) {
    isOver = error instanceof DomainError && ['checksum_mismatch', 'import_photo_final'].includes(error.code);
    throw error;
  } finally {
    // What remains is removed later: the item no longer waits for it, or nothing refers to it.
    if (isOver) await forget(uses, upload).catch(() => undefined);
    await uses.blobs.delete(partKeys(isOver ? whole : { ...upload, parts: [last] })).catch(() => undefined);
  }
}

export type PartsUses = StageUses & {
  store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
  clock: Clock;
  uploads: UploadSlots;
};

/** Stores bytes of an upload as a blob of their own, which belongs to nothing yet. */
async function storePart(
  { blobs }: PartsUses,
  upload: ResumableUpload,
  bytes: AsyncIterable<Uint8Array>,
): Promise<UploadPart> {
  const uploadId = newUploadId();
  const [key] = partKeys({ ...upload, parts: [{ uploadId, sizeBytes: 0 }] });
  if (key === undefined) throw new Error('A part has one key.');
  const { sizeBytes } = await blobs.put(key, bytes);
  return { uploadId, sizeBytes };
}

/**
 * Makes parts those of an upload.
 * @param added Those of `parts` that were stored for this.
 */
async function replaceParts(
  uses: PartsUses,
  upload: ResumableUpload,
  parts: readonly UploadPart[],
  added: readonly UploadPart[],
  isLast: boolean,
): Promise<ResumableUpload> {
  const { customerId, importId, itemId } = upload;
  try {
    return await uses.store.transaction(customerId, async (transaction) => {
      await transaction.importPhotos.lock(importId, itemId);
      const uploadIds = added.map(({ uploadId }) => uploadId);
      await requireStagedBytes(transaction, importId, uploadIds);
      if ((await transaction.resumableUploads.get(itemId))?.sender !== upload.sender) throw replaced();
      const next = { ...upload, parts, sender: isLast ? null : upload.sender, updatedAt: uses.clock.now() };
      await transaction.resumableUploads.put(next);
      return next;
    });
  } catch (error) {
    // If the database's response was lost, the upload may have them: then they remain.
    if (!isOutage(error)) await uses.blobs.delete(partKeys({ ...upload, parts: added }));
    throw error;
  }
}

/** Removes an upload; its parts remain. */
function forget({ store }: PartsUses, { customerId, importId, itemId, sender }: ResumableUpload): Promise<void> {
  return store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    await importPhotos.lock(importId, itemId);
    if ((await resumableUploads.get(itemId))?.sender === sender) await resumableUploads.delete(itemId);
  });
}

/** The bytes of all parts. Errors: `service_unavailable` if a part is missing; the upload then begins anew. */
async function* bytesOf(uses: PartsUses, upload: ResumableUpload): AsyncGenerator<Uint8Array, void, void> {
  for (const key of partKeys(upload)) {
    const part = await uses.blobs.get(key);
    if (part === null) {
      await forget(uses, upload);
      const message = 'Bytes of this upload were lost. Ask for the offset, and go on from there.';
      throw new DomainError('service_unavailable', message);
    }
    for await (const chunk of part.bytes) {
      yield chunk;
      part.release?.(chunk);
    }
  }
}
