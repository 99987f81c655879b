import { type BlobKey, renditionKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { recycled } from '../blobs/open-blob.js';
import { ReaderFailure } from '../media/media-reader.js';
import { renditionNames, renditionSizes } from '../media/renditions.js';
import { layoutOf, type Size, within } from '../media/transformation.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';
import { lostBytes, lostOriginal, verified } from './verified-bytes.js';

/**
 * A lossy source must be so much larger, in both directions: its losses are then averaged out to less than those of the format of the
 * result.
 */
const LARGER_BY = 1.25;

/**
 * The smallest stored rendition that is large enough, which is decoded in a fraction of the time that the original takes. Null when there is
 * none, and when the photo itself is not larger than that.
 */
export async function storedLarger(
  blobs: BlobStore,
  photo: Photo,
  { transformation, source }: Rendition,
): Promise<AsyncIterable<Uint8Array> | null> {
  if (source === null) return null;
  const { scaled } = layoutOf(photo, transformation);
  for (const name of renditionNames) {
    const size = renditionSizes[name];
    if (size >= Math.max(photo.width, photo.height)) return null;
    if (!isLarger(layoutOf(photo, within(size, source)).scaled, scaled)) continue;
    const key = renditionKey(photo, name, source);
    if ((await blobs.head(key)) !== null) return storedBytes(blobs, key);
  }
  return null;
}

function isLarger(source: Size, result: Size): boolean {
  return source.width >= result.width * LARGER_BY && source.height >= result.height * LARGER_BY;
}

/** Opened when they are read, and not while the picture is queued. */
export async function* originalBytes(blobs: BlobStore, photo: Photo): AsyncIterable<Uint8Array> {
  const original = await blobs.get(storedKey(photo.blobKey));
  if (original === null) throw photo.originalLostAt === null ? lostBytes() : lostOriginal();
  yield* recycled(verified(original.bytes, photo.sha256), original.release);
}

async function* storedBytes(blobs: BlobStore, key: BlobKey): AsyncIterable<Uint8Array> {
  const blob = await blobs.get(key);
  if (blob === null) throw new ReaderFailure('The stored rendition has disappeared.');
  yield* recycled(blob.bytes, blob.release);
}
