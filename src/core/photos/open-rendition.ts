import type { BlobCache } from '../blobs/blob-cache.js';
import type { BlobStore, ByteRange } from '../blobs/blob-store.js';
import type { Download } from './download-photo.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';
import type { RenditionMaker } from './rendition-maker.js';
import { lostBytes } from './verified-bytes.js';

export type RenditionUses = { blobs: BlobStore; blobCache: BlobCache; renditionMaker: RenditionMaker };

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
    const cached = await blobCache.get(key);
    if (cached !== null) return cached;
    const blob = await stored();
    return blobCache.admit(key, blob.sizeBytes)?.(blob) ?? blob;
  };
  const blobKey = async () => {
    await info();
    return key;
  };
  return { photo, contentType: `image/${transformation.format}`, info, open, blobKey };
}
