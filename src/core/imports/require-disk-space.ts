import type { BlobStore, DiskSpace } from '../blobs/blob-store.js';
import { DomainError } from '../shared/errors.js';
import type { UploadSlots } from './upload-slots.js';

const GIB = 1024 ** 3;
/** Of the whole disk; if that is less than a GiB. */
const FLOOR_SHARE = 0.05;

/**
 * Bytes that uploads leave free, so that everything else keeps working.
 * @param minFreeBytes The operator's setting; null for the default.
 */
function floorOf({ totalBytes }: Pick<DiskSpace, 'totalBytes'>, minFreeBytes: number | null): number {
  return minFreeBytes ?? Math.min(GIB, Math.floor(totalBytes * FLOOR_SHARE));
}

/** Errors: `storage_full` if these bytes, and those already in transit, would leave less than the minimum. */
export async function requireDiskSpace(
  { blobs, uploads }: { blobs: BlobStore; uploads: UploadSlots },
  bytes: number,
): Promise<void> {
  const diskSpace = await blobs.diskSpace();
  if (
    diskSpace === null ||
    diskSpace.freeBytes - uploads.pendingBytes - bytes >= floorOf(diskSpace, uploads.minFreeBytes)
  )
    return;
  const message = 'This installation is out of disk space. Try again later, or contact its operator.';
  throw new DomainError('storage_full', message);
}
