import { type BlobKey, renditionKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { recycled } from '../blobs/open-blob.js';
import { type PictureBytes, ReaderFailure } from '../media/media-reader.js';
import { renditionNames, renditionSizes } from '../media/renditions.js';
import { layoutOf, type Size, within } from '../media/transformation.js';
import { type OriginalUses, openOriginal, verifiedFile } from './open-original.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';

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
): Promise<PictureBytes | null> {
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
export function originalBytes(uses: OriginalUses, photo: Photo): PictureBytes {
  return {
    file: () => verifiedFile(uses, photo),
    async *[Symbol.asyncIterator]() {
      const { bytes, release } = await openOriginal(uses, photo);
      yield* recycled(bytes, release);
    },
  };
}

/** No hash of it was ever stored. */
function storedBytes(blobs: BlobStore, key: BlobKey): PictureBytes {
  return {
    file: async () => (await blobs.file(key))?.path ?? null,
    async *[Symbol.asyncIterator]() {
      const blob = await blobs.get(key);
      if (blob === null) throw new ReaderFailure('The stored rendition has disappeared.');
      yield* recycled(blob.bytes, blob.release);
    },
  };
}
