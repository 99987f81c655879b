import type { Caller } from '../../access/caller.js';
import { inOneChunk, readOnce, wholeOf } from '../../blobs/blob-bytes.js';
import { type BlobKey, renditionKey } from '../../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange } from '../../blobs/blob-store.js';
import {
  type ExpectedBytes,
  LostBytes,
  lostBytes,
  type VerifiedBlob,
  type VerifiedBlobs,
} from '../../blobs/verified-blobs.js';
import { defaultFormat, type RenditionFormat, type RenditionName, renditionSizes } from '../../media/media-reader.js';
import { type Transformation, within } from '../../media/transformation.js';
import type { Id } from '../../shared/ids.js';
import type { Readable } from '../../shared/transactional.js';
import type { Download } from '../original.js';
import type { Photo } from '../photo.js';
import { readPhoto, readVisiblePhoto } from '../read-photo.js';

export interface RenditionRequest {
  readonly name: RenditionName;
  /** Default: webp for pictures with transparency, otherwise jpeg. */
  readonly format?: RenditionFormat | undefined;
}

export interface RenditionDownload extends Download {
  readonly name: RenditionName;
  readonly format: RenditionFormat;
}

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

export type RenditionUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; renditionMaker: RenditionMaker };

/**
 * A rendition, generated when its size is requested or it is opened. Errors of these two: `not_found` (`rendition`, which cannot be made),
 * `service_unavailable`.
 * @param onStart As in `RenditionMaker.make`.
 */
export function openRendition(
  { blobs, verifiedBlobs, renditionMaker }: RenditionUses,
  photo: Photo,
  rendition: Rendition,
  onStart?: () => void,
): Download {
  const { key, transformation, expected } = rendition;
  // Finds it if it was made since the photo was read.
  const make = () => renditionMaker.make(photo, rendition, onStart);
  const info = async () => {
    const stored = expected === null ? await blobs.head(key) : await openStored({ verifiedBlobs }, rendition);
    return stored ?? make();
  };
  const open = async (range?: ByteRange) => {
    const found = await openStored({ verifiedBlobs }, rendition, range);
    if (found !== null) return found;
    await make();
    const made = await verifiedBlobs.open(key, null, { range });
    if (made === null) throw lostBytes();
    return made;
  };
  const blobKey = async () => {
    await info();
    return key;
  };
  return { photo, contentType: `image/${transformation.format}`, info, open, blobKey };
}

/** A picture to make of a photo, and where it is stored. */
export interface Rendition {
  readonly key: BlobKey;
  readonly transformation: Transformation;
  /** The bytes that it must have if it is stored (`Photo.thumb`); null: any. */
  readonly expected: ExpectedBytes | null;
  /** The format of larger stored renditions that it may be made from; null: only from the original. */
  readonly source: RenditionFormat | null;
}

/** Makes renditions that are asked for, each once, no matter how many ask for it at the same time. */
export interface RenditionMaker {
  /**
   * Stores the result of `makeRendition`, unless `findRendition` finds it by then. Only one call for it does so at a time, in all processes; the
   * others wait for its result, and one of them goes on when it failed. A rendition that could not be made may be refused for some minutes.
   * Errors: `not_found` (it cannot be made, or the photo no longer exists), `service_unavailable`.
   * @param onStart Called when it is made for this call, and not for another.
   */
  make(photo: Photo, rendition: Rendition, onStart?: () => void): Promise<BlobInfo>;
}

/** One of the named sizes. */
export function fixedRendition(photo: Photo, name: RenditionName, format: RenditionFormat): Rendition {
  const transformation = within(renditionSizes[name], format);
  const isFirst = name === 'thumb' && photo.rotation === 0 && format === defaultFormat(photo);
  const expected = isFirst ? photo.thumb : null;
  return { key: renditionKey(photo, name, format), transformation, expected, source: format };
}

/**
 * The stored rendition, or a range of it; null when there is none, or other bytes than must be there. Those that are compared are read before
 * any of them is returned, and they are few.
 */
export async function openStored(
  { verifiedBlobs }: { verifiedBlobs: VerifiedBlobs },
  { key, expected }: Pick<Rendition, 'key' | 'expected'>,
  range?: ByteRange,
): Promise<VerifiedBlob | null> {
  try {
    const blob = await verifiedBlobs.open(key, expected, { range });
    if (blob === null || expected === null || blob.inMemory !== undefined) return blob;
    const { bytes, release: _, ...info } = blob;
    const inMemory = await wholeOf(bytes);
    return { ...info, bytes: readOnce(inOneChunk(inMemory)), inMemory };
  } catch (error) {
    if (error instanceof LostBytes) return null;
    throw error;
  }
}
