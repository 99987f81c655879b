import type { Caller } from '../access/caller.js';
import type { BlobCache } from '../blobs/blob-cache.js';
import type { BlobStore, ByteRange } from '../blobs/blob-store.js';
import type { RenditionFormat } from '../media/media-reader.js';
import { defaultFormat, type RenditionName } from '../media/renditions.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Download } from './download-photo.js';
import type { Photo } from './photo.js';
import { readPhoto, readVisiblePhoto } from './read-photo.js';
import { fixedRendition, type Rendition } from './rendition.js';
import type { RenditionMaker } from './rendition-maker.js';
import { lostBytes } from './verified-bytes.js';

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
