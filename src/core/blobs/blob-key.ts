import type { RenditionFormat } from '../media/media-reader.js';
import type { RenditionName } from '../media/renditions.js';
import type { Id } from '../shared/ids.js';

/** A name in the blob store (API.md §12.4). Made here, out of numbers and random names, and nowhere else. */
export type BlobKey = string & { readonly blobKey: unique symbol };

/** Raised when renditions are made in another way: old ones are then no longer found, and made anew. */
const RENDITION_RECIPE = 'v1';

export function stagingKey(item: { customerId: Id; importId: Id; id: Id; attempt: number }): BlobKey {
  return `staging/${item.customerId}/${item.importId}/${item.id}/${item.attempt}` as BlobKey;
}

export function originalKey(item: { customerId: Id; blobName: string }): BlobKey {
  return `originals/${item.customerId}/${item.blobName}` as BlobKey;
}

export function renditionKey(
  photo: { customerId: Id; id: Id; rotation: number },
  name: RenditionName,
  format: RenditionFormat,
): BlobKey {
  return `renditions/${photo.customerId}/${photo.id}/${RENDITION_RECIPE}-r${photo.rotation}/${name}.${format}` as BlobKey;
}

export function renditionsPrefix(photo: { customerId: Id; id: Id }): string {
  return `renditions/${photo.customerId}/${photo.id}/`;
}

/** A key that was made by one of the functions above and kept in a row. */
export function keptKey(text: string): BlobKey {
  return text as BlobKey;
}

/** Numbers, lower-case words and random names between slashes: what the functions above make, and what is safe as a path of any store. */
const SEGMENT = '[a-z0-9_-][a-z0-9_.-]{0,127}';
const KEY = new RegExp(`^${SEGMENT}(/${SEGMENT}){0,15}$`);

/** No `..`, no leading, final or double slash. */
export function isBlobKey(text: string): text is BlobKey {
  return KEY.test(text);
}

/** Defence in depth, asked first by every blob store. Errors: an Error, because no client can bring this about. */
export function checkKeys(...keys: readonly BlobKey[]): void {
  for (const key of keys) if (!isBlobKey(key)) throw new Error(`Not a blob key: ${JSON.stringify(key)}`);
}

/** The same for what `BlobStore.list` takes: a key and a slash. */
export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith('/') || !isBlobKey(prefix.slice(0, -1))) {
    throw new Error(`Not a prefix of blob keys: ${JSON.stringify(prefix)}`);
  }
}
