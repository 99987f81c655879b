import { stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { type Measure, withMeasure } from '../blobs/measure.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import { DomainError, isOutage } from '../shared/errors.js';
import { readDeclaredBytes, requireDeclaredSize, storeDeclaredBytes, type Upload } from './declared-bytes.js';
import { type ImportPhoto, newUploadId, requireSameBytes } from './import-photo.js';
import { requireDiskSpace } from './require-disk-space.js';
import { type GrantUses, requireUploadGrant, uploadForbidden } from './require-upload-grant.js';
import { noteStaged } from './staged-picture.js';
import type { UploadSlots } from './upload-slots.js';
import { type UploadGrant } from './upload-target.js';

type UploadUses = GrantUses & { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; uploads: UploadSlots };

/**
 * Receives the bytes of one item. When it resolves they are stored safely and will be inspected; sending the same bytes again is allowed.
 * Of several uploads to one item, the newest is received. Errors: `upload_forbidden`, `import_photo_final`, `size_mismatch`,
 * `checksum_mismatch`, `payload_too_large`, `upload_in_progress`, `rate_limited`, `storage_full`; after any of them nothing is stored.
 */
export async function receiveUpload(uses: UploadUses, upload: Upload): Promise<void> {
  const grant = await requireUploadGrant(uses, upload);
  const item = await uses.importBatchers.readItem(grant.customerId, grant.importId, grant.itemId);
  if (item === null) throw uploadForbidden();
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
    await readDeclaredBytes(bytes, grant);
    requireSameBytes(item, measure);
    return;
  }
  // The bytes that it may bring are counted as in transit.
  await requireDiskSpace(uses, 0);
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
