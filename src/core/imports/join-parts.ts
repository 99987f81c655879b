import { withMeasure } from '../blobs/measure.js';
import { DomainError } from '../shared/errors.js';
import { tooLong } from './declared-bytes.js';
import type { PartReader } from './part-reader.js';
import { requireDiskSpace } from './require-disk-space.js';
import { MAX_PARTS, partKeys, type ResumableUpload, type UploadPart } from './resumable-upload.js';
import { stageUpload } from './stage-upload.js';
import { bytesOf, forget, type PartsUses, replaceParts, storePart } from './upload-parts.js';
import type { UploadGrant } from './upload-target.js';

/** What one request brings. */
export interface Sending {
  readonly grant: UploadGrant;
  readonly reader: PartReader;
  /** As it is when the next part is added. */
  readonly upload: ResumableUpload;
}

/** Connections that break all the time would leave more and more of them. */
export async function withFewParts(uses: PartsUses, upload: ResumableUpload): Promise<ResumableUpload> {
  if (upload.parts.length < MAX_PARTS) return upload;
  const whole = await storePart(uses, upload, bytesOf(uses, upload));
  const joined = await replaceParts(uses, upload, [whole], [whole], false);
  await uses.blobs.delete(partKeys(upload));
  return joined;
}

/** All bytes are there: they become the bytes of the item, as if they had come in one request. */
export async function complete(uses: PartsUses, { grant, reader, upload }: Sending, last: UploadPart): Promise<void> {
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
