import { stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Measure } from '../blobs/measure.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import { isOutage } from '../shared/errors.js';
import { type DeclaredBytes, storeDeclaredBytes } from './declared-bytes.js';
import type { ImportBatchers } from './import-batchers.js';
import { newUploadId, requireSameBytes } from './import-photo.js';
import { uploadForbidden } from './require-upload-grant.js';
import { noteStaged } from './staged-picture.js';
import type { UploadGrant } from './upload-target.js';

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
