import { isExpired } from '../access/api-key.js';
import type { IpLists } from '../access/ip-list.js';
import { type BlobKey, stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { type Measure, TooManyBytes, withMeasure } from '../blobs/measure.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, isOutage } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import type { ImportBatchers } from './import-batchers.js';
import { type ImportPhoto, newUploadId } from './import-photo.js';
import { requireDiskSpace } from './require-disk-space.js';
import type { UploadSlots } from './upload-slots.js';
import { readUploadToken, type UploadGrant } from './upload-target.js';

type UploadUses = {
  importBatchers: ImportBatchers;
  customers: CustomerDirectory;
  ipLists: IpLists;
  blobs: BlobStore;
  uploads: UploadSlots;
  clock: Clock;
  secrets: Secrets;
};

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

/**
 * Receives the bytes of one item. When it resolves they are stored safely and will be inspected; sending the same bytes again is allowed.
 * Of several uploads to one item, the newest is received. Errors: `upload_forbidden`, `import_photo_final`, `size_mismatch`,
 * `checksum_mismatch`, `payload_too_large`, `upload_in_progress`, `rate_limited`, `storage_full`; after any of them nothing is stored.
 */
export async function receiveUpload(uses: UploadUses, upload: Upload): Promise<void> {
  const grant = await requireGrant(uses, upload);
  const item = await uses.importBatchers.readItem(grant.customerId, grant.importId, grant.itemId);
  if (item === null) throw forbidden();
  if (upload.declaredBytes !== null) requireDeclaredSize(grant, upload.declaredBytes);
  const { sizeBytes } = grant;
  if (upload.isGone?.()) throw new DomainError('request_timeout', 'The client disconnected.');
  const slot = uses.uploads.take({ ...grant, remaining: () => sizeBytes - measure.sizeBytes });
  const { bytes, measure } = withMeasure(slot.guarded(upload.bytes), sizeBytes);
  try {
    await receive(uses, grant, item, bytes, measure);
  } finally {
    slot.close();
  }
}

async function receive(
  uses: UploadUses,
  grant: UploadGrant,
  item: ImportPhoto,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  if (item.status !== 'awaiting_upload' || item.uploadId !== grant.uploadId) {
    await drain(bytes, grant);
    requireSameBytes(item, measure);
    return;
  }
  // The bytes that it may bring are counted as in transit.
  await requireDiskSpace(uses, 0);
  // Under a separate upload id: a second sender with the same address must not touch what the first one stored.
  const uploadId = newUploadId();
  const key = stagingKey({ ...grant, id: grant.itemId, uploadId });
  await stage(uses, key, grant, bytes, measure);
  const used = await receiveBytes(uses, grant, measure, uploadId).catch(async (error: unknown) => {
    // If the database's response was lost, the item may have these bytes: then they remain.
    if (!isOutage(error)) await uses.blobs.delete([key]);
    throw error;
  });
  if (!used) await uses.blobs.delete([key]);
}

async function requireGrant(uses: UploadUses, { token, address }: Upload): Promise<UploadGrant> {
  const grant = readUploadToken(uses, token);
  const now = uses.clock.now();
  if (grant === null || grant.expiresAt.getTime() <= now.getTime()) throw forbidden();
  if (grant.apiKeyId === null) await requireActive(uses, grant.customerId);
  else await requireKey(uses, grant.apiKeyId, address, now);
  return grant;
}

/** Looked up for each upload, whenever its address was made. */
async function requireKey(uses: UploadUses, id: Id, address: string | null, now: Date): Promise<void> {
  const known = await uses.importBatchers.findKey(id);
  if (known === null || isExpired(known.key, now) || known.customerStatus !== 'active') throw forbidden();
  if (!uses.ipLists.admits(known.key.ipList, address)) throw forbidden();
}

/** Requested by a person: there is no key that could end before the address does. */
async function requireActive({ customers }: UploadUses, customerId: Id): Promise<void> {
  if ((await customers.find(customerId))?.status !== 'active') throw forbidden();
}

async function stage(
  uses: UploadUses,
  key: BlobKey,
  grant: UploadGrant,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  try {
    await uses.blobs.put(key, checkedBytes(bytes, grant, measure));
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

/** Throws at the end instead of creating a blob that does not match the declaration. */
async function* checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  grant: UploadGrant,
  measure: Measure,
): AsyncIterable<Uint8Array> {
  yield* bytes;
  requireDeclaredSize(grant, measure.sizeBytes);
  if (grant.sha256 === null || grant.sha256 === measure.sha256) return;
  throw new DomainError(
    'checksum_mismatch',
    'The SHA-256 of the uploaded bytes is not the declared one. Send the file again.',
  );
}

async function drain(bytes: AsyncIterable<Uint8Array>, grant: UploadGrant): Promise<void> {
  try {
    for await (const _ of bytes);
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

/** Whether these bytes are the ones that will be inspected; false when the item has the same ones already. */
async function receiveBytes(
  uses: UploadUses,
  grant: UploadGrant,
  measure: Measure,
  uploadId: number,
): Promise<boolean> {
  const other = await uses.importBatchers.receive({ grant, measure, uploadId });
  if (other === 'missing') throw forbidden();
  if (other !== null) requireSameBytes(other, measure);
  return other === null;
}

/** An item that has its bytes accepts the same ones once more, so that a client can retry after a lost response. */
function requireSameBytes(item: ImportPhoto, measure: Measure): void {
  const hasBytes = item.status !== 'awaiting_upload' && item.status !== 'failed' && item.status !== 'cancelled';
  if (hasBytes && item.sha256 === measure.sha256) return;
  throw new DomainError(
    'import_photo_final',
    `This item is ${item.status} and no longer accepts uploads to this URL.`,
    {
      status: item.status,
      photoId: item.photoId,
    },
  );
}

function requireDeclaredSize(grant: UploadGrant, sizeBytes: number): void {
  if (sizeBytes > grant.sizeBytes) throw tooLong(grant);
  if (sizeBytes === grant.sizeBytes) return;
  const message = `${grant.sizeBytes} bytes were declared, but ${sizeBytes} were sent. Send the whole file again.`;
  throw new DomainError('size_mismatch', message);
}

function tooLong(grant: UploadGrant): DomainError {
  const message = `${grant.sizeBytes} bytes were declared, but more were sent. Register the file with its actual size.`;
  return new DomainError('payload_too_large', message, { maxBytes: grant.sizeBytes });
}

function forbidden(): DomainError {
  const message = 'This upload URL is invalid or expired. Request the item again for a new one.';
  return new DomainError('upload_forbidden', message);
}
