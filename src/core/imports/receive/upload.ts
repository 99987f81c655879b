import { checkedAtEnd, type Measure, TooManyBytes, withMeasure } from '../../blobs/blob-bytes.js';
import { type BlobKey, stagingKey } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import type { VerifiedBlobs } from '../../blobs/verified-blobs.js';
import { DomainError, isOutage } from '../../shared/errors.js';
import type { ImportBatchers } from '../batchers.js';
import { type ImportPhoto, isAwaited, newUploadId, requireSameBytes } from '../import-photo.js';
import { noteStaged } from '../inspect/staged-picture.js';
import { mismatch } from '../registration.js';
import type { UploadGrant } from '../target.js';
import { type GrantUses, requireUploadItem, uploadForbidden } from './grant.js';
import { requireDiskSpace, type UploadSlots } from './upload-slots.js';

type UploadUses = GrantUses & StageUses & { uploads: UploadSlots };

/**
 * Receives the bytes of one item. When it resolves they are stored safely and will be inspected; sending the same bytes again is allowed.
 * Of several uploads to one item, the newest is received. Errors: `upload_forbidden`, `import_photo_final`, `size_mismatch`,
 * `checksum_mismatch`, `payload_too_large`, `upload_in_progress`, `rate_limited`, `storage_full`; after any of them nothing is stored.
 */
export async function receiveUpload(uses: UploadUses, upload: Upload): Promise<void> {
  const { grant, item } = await requireUploadItem(uses, upload);
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
  if (!isAwaited(item, grant)) {
    await readDeclaredBytes(bytes, grant);
    requireSameBytes(item, measure);
    return;
  }
  // The bytes that it may bring are counted as in transit.
  await requireDiskSpace(uses, 0);
  await stageUpload(uses, grant, bytes, measure);
}

/** Which upload of which item brings the bytes, and what is known of them. */
type StagedFile = Omit<UploadGrant, keyof DeclaredBytes | 'apiKeyId' | 'expiresAt'> & DeclaredBytes;

export type StageUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; importBatchers: ImportBatchers };

/**
 * Stores all bytes of an item that waits for them, if they are the declared ones, and tells the item. Errors: those of a wrong size or hash,
 * `upload_forbidden`, `import_photo_final`; after any of them nothing is stored.
 */
export async function stageUpload(
  uses: StageUses,
  grant: StagedFile,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  // Under a separate upload id: a second sender with the same address must not touch what the first one stored.
  const uploadId = newUploadId();
  const key = stagingKey({ ...grant, id: grant.itemId, uploadId });
  await storeDeclaredBytes(uses, key, grant, bytes, measure);
  await noteStaged(uses, { ...grant, id: grant.itemId, uploadId });
  try {
    const other = await uses.importBatchers.receive({ grant, measure, uploadId });
    if (other === null) return;
    if (other === 'missing') throw uploadForbidden();
    // It has the same bytes already.
    requireSameBytes(other, measure);
    await uses.blobs.delete([key]);
  } catch (error) {
    // If the database's response was lost, the item may have these bytes: then they remain.
    if (!isOutage(error)) await uses.blobs.delete([key]);
    throw error;
  }
}

/** The facts that are known of a file before its bytes arrive; a source need not state its size. */
export interface DeclaredBytes extends Pick<UploadGrant, 'sha256'> {
  readonly sizeBytes: number | null;
}

/** Stores the bytes if they are the declared ones. Errors: those of a wrong size or hash, and then nothing is stored. */
async function storeDeclaredBytes(
  { blobs }: { blobs: BlobStore },
  key: BlobKey,
  grant: DeclaredBytes,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  const requireDeclared = () => {
    requireDeclaredSize(grant, measure.sizeBytes);
    const wrong = mismatch(grant, measure);
    if (wrong !== null) throw new DomainError('checksum_mismatch', wrong.message);
  };
  try {
    await blobs.put(key, checkedAtEnd(bytes, requireDeclared));
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

/** Reads the bytes to their end, for their hash. */
async function readDeclaredBytes(bytes: AsyncIterable<Uint8Array>, grant: UploadGrant): Promise<void> {
  try {
    for await (const _ of bytes);
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

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
