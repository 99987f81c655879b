import { withMeasure } from '../blobs/measure.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, isOutage } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { tooLong } from './declared-bytes.js';
import { newUploadId } from './import-photo.js';
import type { PartReader } from './part-reader.js';
import { requireDiskSpace } from './require-disk-space.js';
import { requireStagedBytes } from './require-staged-bytes.js';
import { MAX_PARTS, offsetOf, partKeys, type ResumableUpload, type UploadPart } from './resumable-upload.js';
import { type StageUses, stageUpload } from './stage-upload.js';
import { release } from './upload-progress.js';
import { replaced, type UploadSlots } from './upload-slots.js';
import type { UploadGrant } from './upload-target.js';

export type PartsUses = StageUses & {
  store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
  clock: Clock;
  uploads: UploadSlots;
};

/** What one request brings. */
interface Sending {
  readonly grant: UploadGrant;
  readonly reader: PartReader;
  /** As it is when the next part is added. */
  readonly upload: ResumableUpload;
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
    // Best effort: nobody waits for it for long.
    if (upload.sender !== null) await release(uses, upload).catch(() => undefined);
  }
}

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

/** @param added Those of `parts` that were stored for this. */
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

function forget({ store }: PartsUses, { customerId, importId, itemId, sender }: ResumableUpload): Promise<void> {
  return store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    await importPhotos.lock(importId, itemId);
    if ((await resumableUploads.get(itemId))?.sender === sender) await resumableUploads.delete(itemId);
  });
}

/** Errors: `service_unavailable` if a part is missing; the upload then begins anew. */
async function* bytesOf(uses: PartsUses, upload: ResumableUpload): AsyncGenerator<Uint8Array, void, void> {
  for (const key of partKeys(upload)) {
    const part = await uses.blobs.get(key);
    if (part === null) {
      await forget(uses, upload);
      throw new DomainError(
        'service_unavailable',
        'Bytes of this upload were lost. Ask for the offset, and go on from there.',
      );
    }
    for await (const chunk of part.bytes) {
      yield chunk;
      part.release?.(chunk);
    }
  }
}
