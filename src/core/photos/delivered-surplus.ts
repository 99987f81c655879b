import { type BlobKey, readBlobKey, renditionsPrefix } from '../blobs/blob-key.js';
import type { BlobStore, ListedBlob } from '../blobs/blob-store.js';
import type { Photo } from './photo.js';

/** Delivered pictures that are stored of one photo, in all its rotations. */
export const MAX_DELIVERED = 64;

/**
 * Removes the oldest delivered pictures of a photo beyond those that may be stored. Several processes may do so at once: each lists what it
 * and all that stored one before it have stored.
 */
export async function removeSurplus(blobs: BlobStore, photo: Photo, latest: BlobKey): Promise<void> {
  const others: ListedBlob[] = [];
  for await (const blob of blobs.list(renditionsPrefix(photo))) {
    if (blob.key !== latest && isDelivered(blob.key)) others.push(blob);
  }
  const newestFirst = others.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
  await blobs.delete(newestFirst.slice(MAX_DELIVERED - 1).map(({ key }) => key));
}

export function isDelivered(key: BlobKey): boolean {
  const name = readBlobKey(key);
  return name?.kind === 'renditions' && name.delivered;
}
