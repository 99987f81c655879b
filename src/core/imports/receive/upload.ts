import type { IpLists } from '../../access/ip-list.js';
import { checkedAtEnd, type Measure, TooManyBytes, withMeasure } from '../../blobs/blob-bytes.js';
import { type BlobKey, stagingKey } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import type { VerifiedBlobs } from '../../blobs/verified-blobs.js';
import type { CustomerDirectory } from '../../customers/customer-directory.js';
import { type Clock, isExpired } from '../../shared/clock.js';
import { DomainError, type ItemError, isOutage } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Reader, Transactional } from '../../shared/transactional.js';
import { type ImportPhoto, isAwaited, newUploadId, requireSameBytes, transition, waitsFor } from '../import-photo.js';
import type { ImportSteps, ReceivedUpload, StagedUpload } from '../import-steps.js';
import { readUploadToken, type UploadGrant } from '../target.js';
import type { UploadSlots } from './upload-slots.js';

/**
 * Receives the bytes of one item. When it resolves they are stored safely and will be inspected; sending the same bytes again is allowed.
 * Of several uploads to one item, the newest is received. Errors: `upload_forbidden`, `import_photo_final`, `size_mismatch`,
 * `checksum_mismatch`, `payload_too_large`, `upload_in_progress`, `rate_limited`, `storage_full`, `request_timeout` when the sender is gone or
 * too slow, `service_unavailable` when the bytes were removed before the item could use them. After any of them nothing is stored; of an upload
 * that can be continued, what has arrived is (resumable.ts).
 */
export async function receiveUpload(
  uses: GrantUses & StageUses & { uploads: UploadSlots },
  upload: Upload,
): Promise<void> {
  const { grant, item } = await requireUploadItem(uses, upload);
  if (upload.declaredBytes !== null) requireDeclaredSize(grant, upload.declaredBytes);
  const { sizeBytes } = grant;
  if (upload.isGone?.()) throw new DomainError('request_timeout', 'The client disconnected.');
  const slot = uses.uploads.take({ ...grant, remaining: () => sizeBytes - measure.sizeBytes });
  const { bytes, measure } = withMeasure(slot.guarded(upload.bytes), sizeBytes);
  try {
    if (isAwaited(item, grant)) {
      // The bytes that it may bring are counted as in transit.
      await requireDiskSpace(uses, 0);
      await stageUpload(uses, grant, bytes, measure);
    } else {
      // To their end, for their hash.
      for await (const _ of bytes);
      requireSameBytes(item, measure);
    }
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  } finally {
    slot.close();
  }
}

export interface Upload {
  readonly token: string;
  /** The sender's address, as IP lists see it; null if a proxy did not send it. */
  readonly address: string | null;
  /** `Content-Length`, if the sender sends one. */
  readonly declaredBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether the sender has disconnected: then it must not end the upload of one that is still connected. */
  readonly isGone?: () => boolean;
}

export type GrantUses = {
  importSteps: ImportSteps;
  customers: CustomerDirectory;
  ipLists: IpLists;
  clock: Clock;
  secrets: Secrets;
};

/** Who may send bytes, and the item as it is. Errors: `upload_forbidden`, which says the same whatever is wrong. */
export async function requireUploadItem(
  uses: GrantUses,
  { token, address }: Pick<Upload, 'token' | 'address'>,
): Promise<{ grant: UploadGrant; item: ImportPhoto }> {
  const grant = readUploadToken(uses, token);
  const now = uses.clock.now();
  if (grant === null || isExpired(grant, now)) throw uploadForbidden();
  const { customerId, importId, itemId, apiKeyId } = grant;
  const isAdmitted = async () => {
    // Requested by a person: there is no key that could end before the address does.
    if (apiKeyId === null) return (await uses.customers.find(customerId))?.status === 'active';
    // Looked up for each upload, whenever its address was made.
    const known = await uses.importSteps.findKey(apiKeyId);
    if (known === null || isExpired(known.key, now) || known.customerStatus !== 'active') return false;
    return uses.ipLists.admits(known.key.ipList, address);
  };
  const item = (await isAdmitted()) ? await uses.importSteps.readItem(customerId, importId, itemId) : null;
  if (item === null) throw uploadForbidden();
  return { grant, item };
}

export function uploadForbidden(): DomainError {
  const message = 'This upload URL is invalid or expired. Request the item again for a new one.';
  return new DomainError('upload_forbidden', message);
}

/** Only what was declared: `maxFileBytes` was checked when it was (`tooLarge`, imports/candidate.ts, names all places). */
function requireDeclaredSize(grant: DeclaredBytes, sizeBytes: number): void {
  if (grant.sizeBytes === null) return;
  if (sizeBytes > grant.sizeBytes) throw tooLong(grant);
  if (sizeBytes === grant.sizeBytes) return;
  const message = `${grant.sizeBytes} bytes were declared, but ${sizeBytes} were sent. Send the whole file again.`;
  throw new DomainError('size_mismatch', message);
}

export function tooLong(grant: DeclaredBytes): DomainError {
  const message = `${grant.sizeBytes} bytes were declared, but more were sent. Register the file with its actual size.`;
  return new DomainError('payload_too_large', message, { maxBytes: grant.sizeBytes });
}

const GIB = 1024 ** 3;
/** Share of the whole disk, if that is less than a GiB. */
const FLOOR_SHARE = 0.05;

/**
 * Errors: `storage_full` if these bytes, and those already in transit, would leave less than the minimum that keeps everything else working.
 */
export async function requireDiskSpace(
  { blobs, uploads }: { blobs: BlobStore; uploads: UploadSlots },
  bytes: number,
): Promise<void> {
  const diskSpace = await blobs.diskSpace();
  if (diskSpace === null) return;
  const { freeBytes, totalBytes, minFreeBytes } = diskSpace;
  const floor = minFreeBytes ?? Math.min(GIB, Math.floor(totalBytes * FLOOR_SHARE));
  if (freeBytes - uploads.pendingBytes - bytes >= floor) return;
  const message = 'This installation is out of disk space. Try again later, or contact its operator.';
  throw new DomainError('storage_full', message);
}

/** The facts that are known of a file before its bytes arrive; a source need not state its size. */
export interface DeclaredBytes extends Pick<UploadGrant, 'sha256'> {
  readonly sizeBytes: number | null;
}

export type StageUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; importSteps: ImportSteps };

/**
 * Stores all bytes of an item that waits for them, if they are the declared ones, and tells the item. Errors: those of a wrong size or hash,
 * `upload_forbidden`, `import_photo_final`, `service_unavailable` when they were removed before the item could use them, and those of `bytes`,
 * such as `request_timeout`; after any of them nothing is stored.
 */
export async function stageUpload(
  uses: StageUses,
  grant: Omit<UploadGrant, keyof DeclaredBytes | 'apiKeyId' | 'expiresAt'> & DeclaredBytes,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  // Under a separate upload id: a second sender with the same address must not touch what the first one stored.
  const uploadId = newUploadId();
  const key = stagingKey({ ...grant, id: grant.itemId, uploadId });
  let isStored = false;
  try {
    const { became, item } = await uses.importSteps.receive(grant, async (hasArrived) => {
      await storeDeclaredBytes(uses, key, grant, bytes, measure, hasArrived);
      isStored = true;
      return { measure, uploadId };
    });
    if (became === 'taken') return;
    if (became === 'removed') throw bytesRemoved();
    if (item === null) throw uploadForbidden();
    // It has the same bytes already.
    requireSameBytes(item, measure);
    await uses.blobs.delete([key]);
  } catch (error) {
    // If the database's response was lost, the item may have these bytes: then they remain.
    if (isStored && !isOutage(error)) await uses.blobs.delete([key]);
    throw error;
  }
}

/** Stores the bytes if they are the declared ones. Errors: those of a wrong size or hash, and then nothing is stored. */
async function storeDeclaredBytes(
  { verifiedBlobs }: { verifiedBlobs: VerifiedBlobs },
  key: BlobKey,
  grant: DeclaredBytes,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
  hasArrived: () => void,
): Promise<void> {
  const requireDeclared = () => {
    requireDeclaredSize(grant, measure.sizeBytes);
    const wrong = mismatch(grant, measure);
    if (wrong !== null) throw new DomainError('checksum_mismatch', wrong.message);
    hasArrived();
  };
  try {
    await verifiedBlobs.put(key, checkedAtEnd(bytes, requireDeclared));
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

/**
 * Returns how bytes differ from what was declared of them; null if they do not. What was not read to its end has no hash, and no size that matters.
 */
export function mismatch(
  declared: { readonly sizeBytes: number | null; readonly sha256: string | null },
  { sizeBytes, sha256 }: Pick<Measure, 'sizeBytes' | 'sha256'>,
): ItemError | null {
  if (sha256 === null) return null;
  if (declared.sizeBytes !== null && declared.sizeBytes !== sizeBytes) {
    return { code: 'size_mismatch', message: `${declared.sizeBytes} bytes were declared, but ${sizeBytes} arrived.` };
  }
  if (declared.sha256 === null || declared.sha256 === sha256) return null;
  return {
    code: 'checksum_mismatch',
    message: 'The SHA-256 of the uploaded bytes is not the declared one. Send the file again.',
  };
}

export type TracedUpload = StagedUpload & { readonly traceContext: string | null };

/**
 * Records that bytes of items of one import have arrived, and requests their inspection: run by `ImportSteps.receive`, for one upload or for
 * several at once. Of each: whether the item relies on these bytes from now on, and the item as it is.
 */
export function receiveStagedBytes(
  { store, clock }: { store: Transactional<'importPhotos' | 'blobOwners' | 'jobs'>; clock: Clock },
  uploads: readonly TracedUpload[],
): Promise<readonly ReceivedUpload[]> {
  const [{ grant }] = uploads as readonly [TracedUpload];
  const { customerId, importId } = grant;
  return store.transaction(customerId, async (transaction) => {
    const itemIds = uploads.map((each) => each.grant.itemId);
    const locked = await transaction.importPhotos.lockMany(importId, itemIds);
    const items = new Map(locked.map((item) => [item.id, item]));
    const uploadIds = uploads.map(({ uploadId }) => uploadId);
    const removed = new Set(await transaction.blobOwners.dropped(importId, uploadIds));
    const at = clock.now();
    const outcomes = uploads.map((upload): ReceivedUpload => {
      const item = items.get(upload.grant.itemId) ?? null;
      if (!waitsFor(item, upload.grant)) return { became: 'unused', item };
      if (removed.has(upload.uploadId)) return { became: 'removed', item };
      const { sizeBytes, sha256 } = upload.measure;
      const processing = { ...transition(item, 'processing', at), uploadId: upload.uploadId, sizeBytes, sha256 };
      // Later arrivals for the same item see this value.
      items.set(item.id, processing);
      return { became: 'taken', item: processing };
    });
    const taken = uploads.filter((_, index) => outcomes[index]?.became === 'taken');
    await transaction.importPhotos.update(...taken.flatMap((upload) => items.get(upload.grant.itemId) ?? []));
    for (const traceContext of new Set(taken.map((upload) => upload.traceContext))) {
      const works = taken.filter((upload) => upload.traceContext === traceContext).map((upload) => upload.grant.itemId);
      const inspections = works.map((photoId) => ({ kind: 'inspect', importId, photoId }) as const);
      await transaction.jobs.addTraced(traceContext, ...inspections);
    }
    return outcomes;
  });
}

/**
 * Called before relying on bytes that were staged before any item referred to them, with the item or the import locked: abandoned bytes may
 * be removed at the same time. Errors: `service_unavailable`.
 */
export async function requireStagedBytes(
  { blobOwners }: Reader<'blobOwners'>,
  importId: Id,
  uploadIds: readonly number[],
): Promise<void> {
  if (uploadIds.length === 0 || (await blobOwners.dropped(importId, uploadIds)).length === 0) return;
  throw bytesRemoved();
}

function bytesRemoved(): DomainError {
  const message = 'The uploaded bytes were not used in time and have been removed. Upload the file again.';
  return new DomainError('service_unavailable', message);
}
