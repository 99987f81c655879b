import { type Measure, withMeasure } from '../blobs/measure.js';
import { DomainError } from '../shared/errors.js';
import { readDeclaredBytes, requireDeclaredSize, type Upload } from './declared-bytes.js';
import { type ImportPhoto, isAwaited, requireSameBytes } from './import-photo.js';
import { requireDiskSpace } from './require-disk-space.js';
import { type GrantUses, requireUploadItem } from './require-upload-grant.js';
import { type StageUses, stageUpload } from './stage-upload.js';
import type { UploadSlots } from './upload-slots.js';
import { type UploadGrant } from './upload-target.js';

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
