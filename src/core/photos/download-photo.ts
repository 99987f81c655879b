import type { Caller } from '../access/caller.js';
import type { BlobCache } from '../blobs/blob-cache.js';
import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import type { RenditionFormat } from '../media/media-reader.js';
import { defaultFormat, type RenditionName } from '../media/renditions.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type OriginalUses, openOriginal } from './open-original.js';
import type { Photo } from './photo.js';
import { readPhoto, readVisiblePhoto } from './read-photo.js';
import { fixedRendition, type Rendition } from './rendition.js';
import type { RenditionMaker } from './rendition-maker.js';
import { lostBytes, lostOriginal } from './verified-bytes.js';

/** Bytes that can be sent; which ones is decided after the client's conditions have been checked. */
export interface Download {
  readonly photo: Photo;
  readonly contentType: string;
  /** About all of the bytes, without opening them. Errors: those of `open`, except for lost bytes. */
  info(): Promise<BlobInfo>;
  open(range?: ByteRange): Promise<OpenBlob>;
  /** The blob's location, for programs that read the store directly. Errors: those of `open`. */
  place(): Promise<BlobKey>;
}

/** The original, byte for byte. Errors: `not_found`, `service_unavailable` (its bytes are lost; when opened: the store is unavailable). */
export async function downloadOriginal(
  { store, blobCache, ...uses }: OriginalUses & { store: Readable<'photos'>; blobCache: BlobCache },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<Download> {
  const photo = await readVisiblePhoto({ store }, caller, id);
  // Thrown before anything is sent. A range of it could not even be verified.
  if (photo.originalLostAt !== null) throw lostOriginal();
  const key = storedKey(photo.blobKey);
  const open = async (range?: ByteRange) => {
    const right = range ? null : await blobCache.get(key);
    if (right !== null) return right;
    const blob = await openOriginal(uses, photo, range);
    // The kernel caches files by itself, and what is cached here must have been verified.
    return range || blob.state !== undefined ? blob : blobCache.caching(key, blob);
  };
  const place = async () => {
    if ((await uses.blobs.head(key))?.sizeBytes !== photo.sizeBytes) throw lostBytes();
    return key;
  };
  return {
    photo,
    contentType: photo.contentType,
    info: async () => ({ sizeBytes: photo.sizeBytes, etag: photo.sha256 }),
    open,
    place,
  };
}

export interface RenditionRequest {
  readonly name: RenditionName;
  /** Default: webp for pictures with transparency, otherwise jpeg. */
  readonly format?: RenditionFormat | undefined;
}

export interface RenditionDownload extends Download {
  readonly name: RenditionName;
  readonly format: RenditionFormat;
}

export type RenditionUses = { blobs: BlobStore; blobCache: BlobCache; renditionMaker: RenditionMaker };

/** A smaller, upright picture, generated and stored on first use. Errors: `not_found`; when opened those of `renditionOf`. */
export async function downloadRendition(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
  { trashedToo = false, ...request }: RenditionRequest & { readonly trashedToo?: boolean },
): Promise<RenditionDownload> {
  const photo = trashedToo
    ? (await readPhoto({ store }, caller, id, { trashedToo, withExif: false })).photo
    : await readVisiblePhoto({ store }, caller, id);
  return renditionOf(uses, photo, request);
}

/** A rendition of a named size, in the current rotation of the photo. Errors: those of `openRendition`. */
export function renditionOf(
  uses: RenditionUses,
  photo: Photo,
  { name, format = defaultFormat(photo) }: RenditionRequest,
): RenditionDownload {
  return { ...openRendition(uses, photo, fixedRendition(photo, name, format)), name, format };
}

/**
 * A rendition, generated when its size is requested or it is opened. Errors of these two: `not_found` (`rendition`, which cannot be made),
 * `service_unavailable`.
 * @param onStart As in `RenditionMaker.make`.
 */
export function openRendition(
  { blobs, blobCache, renditionMaker }: RenditionUses,
  photo: Photo,
  rendition: Rendition,
  onStart?: () => void,
): Download {
  const { key, transformation } = rendition;
  const make = () => renditionMaker.make(photo, rendition, onStart);
  const info = async () => (await blobs.head(key)) ?? make();
  const stored = async (range?: ByteRange) => {
    const found = await blobs.get(key, range);
    if (found !== null) return found;
    await make();
    const made = await blobs.get(key, range);
    if (made === null) throw lostBytes();
    return made;
  };
  const open = async (range?: ByteRange) => {
    if (range) return stored(range);
    return (await blobCache.get(key)) ?? blobCache.caching(key, await stored());
  };
  const place = async () => {
    await info();
    return key;
  };
  return { photo, contentType: `image/${transformation.format}`, info, open, place };
}
