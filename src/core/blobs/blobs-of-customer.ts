import type { Id } from '../shared/ids.js';
import { allKinds, type BlobKey, type BlobKind, prefixOf } from './blob-key.js';
import type { BlobStore } from './blob-store.js';

/** Blobs by kind, and their bytes. */
export type BlobCounting = Record<BlobKind | 'bytes', number>;

export function noBlobs(): BlobCounting {
  return { staging: 0, originals: 0, renditions: 0, bytes: 0 };
}

const BATCH = 500;

/** Adds every blob of a customer to the count, and passes their keys on in batches. */
export async function countBlobsOf(
  { blobs }: { blobs: BlobStore },
  id: Id,
  count: BlobCounting,
  act: (keys: readonly BlobKey[]) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const kind of allKinds) {
    const batch: BlobKey[] = [];
    for await (const { key, sizeBytes } of blobs.list(prefixOf(kind, id))) {
      count[kind] += 1;
      count.bytes += sizeBytes;
      if (batch.push(key) === BATCH) await act(batch.splice(0));
    }
    if (batch.length > 0) await act(batch);
  }
}
