import type { RenditionFormat } from '../media/media-reader.js';
import type { RenditionName } from '../media/renditions.js';
import type { Id } from '../shared/ids.js';

/** A name in the blob store (API.md §12.4). Made here, out of numbers and random names, and nowhere else. */
export type BlobKey = string & { readonly blobKey: unique symbol };

/** Raised when renditions are made in another way: old ones are then no longer found, and made anew. */
const RENDITION_RECIPE = 'v1';

export function stagingKey(item: { customerId: Id; importId: Id; id: Id; uploadId: number }): BlobKey {
  return `staging/${item.customerId}/${item.importId}/${item.id}/${item.uploadId}` as BlobKey;
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

/** What lies under these, and nothing else, is ours to remove. */
export const blobPrefixes = { staging: 'staging/', originals: 'originals/', renditions: 'renditions/' } as const;
export type BlobKind = keyof typeof blobPrefixes;

/** Where every blob of a customer lies. */
export function prefixOf(kind: BlobKind, customerId: Id): string {
  return `${blobPrefixes[kind]}${customerId}/`;
}

/** Bytes on their way into an import: one try of one item. */
export interface StagingName {
  readonly kind: 'staging';
  readonly customerId: Id;
  readonly importId: Id;
  readonly itemId: Id;
  readonly uploadId: number;
}

export interface OriginalName {
  readonly kind: 'originals';
  readonly customerId: Id;
  readonly blobName: string;
}

export interface RenditionOf {
  readonly kind: 'renditions';
  readonly customerId: Id;
  readonly photoId: Id;
  /** Null when it was made by another recipe than today's. */
  readonly rotation: number | null;
}

export type BlobName = StagingName | OriginalName | RenditionOf;

const NUMBER = '([1-9][0-9]{0,15})';
const STAGING = new RegExp(`^staging/${NUMBER}/${NUMBER}/${NUMBER}/${NUMBER}$`);
const ORIGINAL = new RegExp(`^originals/${NUMBER}/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`);
const RENDITION = new RegExp(`^renditions/${NUMBER}/${NUMBER}/(v[0-9]+)-r(0|90|180|270)/[a-z]+[.](?:jpeg|webp)$`);

/** What a key of the functions above was made of; null for any other: who put that there is not known. */
export function readBlobKey(key: BlobKey): BlobName | null {
  const staging = STAGING.exec(key);
  if (staging !== null) {
    const [customerId = 0, importId = 0, itemId = 0, uploadId = 0] = staging.slice(1).map(Number);
    return { kind: 'staging', customerId, importId, itemId, uploadId };
  }
  const [, owner, blobName] = ORIGINAL.exec(key) ?? [];
  if (blobName !== undefined) return { kind: 'originals', customerId: Number(owner), blobName };
  const [, customerId, photoId, recipe, rotation] = RENDITION.exec(key) ?? [];
  if (photoId === undefined) return null;
  return {
    kind: 'renditions',
    customerId: Number(customerId),
    photoId: Number(photoId),
    rotation: recipe === RENDITION_RECIPE ? Number(rotation) : null,
  };
}

/** A key that was made by one of the functions above and kept in a row. */
export function storedKey(text: string): BlobKey {
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
