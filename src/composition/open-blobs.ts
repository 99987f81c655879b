import { join } from 'node:path';
import { makeDataDir } from '../adapters/data-dir.js';
import { FileScrubPosition } from '../adapters/local-blobs/file-scrub-position.js';
import { LocalBlobStore } from '../adapters/local-blobs/local-blob-store.js';
import type { Config } from '../config/config.js';
import type { BlobStore } from '../core/blobs/blob-store.js';
import type { ScrubPosition } from '../core/integrity/scrub.js';
import type { Ports } from '../core/ports.js';

/** Where files are stored under DATA_DIR, without a bucket. */
export const BLOB_FOLDER = 'blobs';

/** Beside that folder: how far its originals were verified. */
const SCRUB_POSITION = 'verified-originals.json';

export type OpenBlobs = Pick<Ports, 'blobs' | 'directUploads'> & {
  /** Null for a bucket, which compares its objects with their checksums itself. */
  readonly scrubPosition: ScrubPosition | null;
  close(): void;
};

/** The blob store of these settings: a bucket, or files under `dataDir`. */
export async function openBlobs({
  s3,
  dataDir,
  limits,
  minFreeBytes = null,
}: Pick<Config, 's3' | 'dataDir' | 'limits'> & Partial<Pick<Config, 'minFreeBytes'>>): Promise<OpenBlobs> {
  if (s3 === null) {
    await makeDataDir(dataDir);
    const blobs = await LocalBlobStore.open(join(dataDir, BLOB_FOLDER), minFreeBytes);
    const scrubPosition = new FileScrubPosition(join(dataDir, SCRUB_POSITION));
    return { blobs, directUploads: null, scrubPosition, close: () => undefined };
  }
  // Loaded only when used: the SDK takes a fifth of a second to load, and 25 MB.
  const { openS3 } = await import('../adapters/s3-blobs/open-s3.js');
  return { ...(await openS3(s3, limits.maxFileBytes)), scrubPosition: null };
}

/** A folder that is used as a blob store. */
export function openBlobFolder(folder: string): Promise<BlobStore> {
  return LocalBlobStore.open(folder);
}
