import { type BlobKey, blobPrefixes } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { withMeasure } from '../blobs/measure.js';
import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import type { BackedUpBlob } from './blob-backup.js';

export interface BlobRestore {
  /** The backup, and the store of the new service. */
  readonly from: BlobStore;
  readonly to: BlobStore;
  readonly parallel: number;
  readonly onDone: (blob: BackedUpBlob) => void;
  /** Called for a blob that the backup has lost or damaged: it is not restored. */
  readonly onWrong: (blob: BackedUpBlob) => void;
}

/** A blob of the store that is not in the backup: then the store belongs to another installation. Null when there is none. */
export async function foreignBlob({ from, to }: Pick<BlobRestore, 'from' | 'to'>): Promise<BlobKey | null> {
  for (const prefix of Object.values(blobPrefixes)) {
    for await (const { key } of to.list(prefix)) {
      if ((await from.head(key)) === null) return key;
    }
  }
  return null;
}

/**
 * Restores blobs, and reads each again to compare it by its SHA-256. May be interrupted and run again: blobs with the right bytes remain.
 * Errors: `service_unavailable` of either store.
 */
export function restoreBlobs(options: BlobRestore, blobs: AsyncIterable<BackedUpBlob>): Promise<void> {
  const { from, to, parallel, onDone, onWrong } = options;
  return forEachConcurrently(blobs, parallel, async (blob) => {
    const isThere =
      (await to.head(blob.key))?.sizeBytes === blob.sizeBytes && (await hashAt(to, blob.key)) === blob.sha256;
    if (isThere || (await restore(from, to, blob))) onDone(blob);
    else onWrong(blob);
  });
}

async function restore(from: BlobStore, to: BlobStore, { key, sizeBytes, sha256 }: BackedUpBlob): Promise<boolean> {
  // Read separately, before anything is written: damaged bytes of the backup must not be stored under the key.
  if ((await hashAt(from, key)) !== sha256) return false;
  const source = await from.get(key);
  if (source === null) return false;
  const { bytes } = withMeasure(source.bytes, sizeBytes);
  await to.put(key, bytes);
  return (await hashAt(to, key)) === sha256;
}
