import { originalKey, renditionsPrefix } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { isOutage } from '../shared/errors.js';
import { type ImportPhoto } from './import-photo.js';

/** An unavailable store must not delay photos: what is left there is unowned, and is swept. */
export async function removeUnusedCopy(blobs: BlobStore, item: ImportPhoto): Promise<void> {
  try {
    const unused = [originalKey(item)];
    for await (const { key } of blobs.list(renditionsPrefix(item))) unused.push(key);
    await blobs.delete(unused);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}
