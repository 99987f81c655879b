import { hash } from 'node:crypto';
import { inOneChunk, recycled } from '../../blobs/blob-bytes.js';
import { type BlobKey, readBlobKey, renditionsPrefix, storedKey } from '../../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ListedBlob } from '../../blobs/blob-store.js';
import {
  type MediaReader,
  type PictureBytes,
  ReaderFailure,
  type RenderedPicture,
  type RenditionOrder,
  renditionNames,
  renditionSizes,
} from '../../media/media-reader.js';
import { layoutOf, within } from '../../media/transformation.js';
import { notFound } from '../../shared/errors.js';
import type { Readable, Transactional } from '../../shared/transactional.js';
import { type OriginalUses, openOriginal } from '../original.js';
import type { Photo } from '../photo.js';
import { fixedRendition, openStored, type Rendition } from './rendition.js';

type MakeUses = OriginalUses & { store: Transactional<'photos'>; blobs: BlobStore; media: MediaReader };

/**
 * Makes a rendition of a photo in its current rotation, and stores it. Null when it cannot be made. Errors: `not_found` (the photo no longer
 * exists), `service_unavailable`.
 */
export async function makeRendition(uses: MakeUses, photo: Photo, rendition: Rendition): Promise<BlobInfo | null> {
  const { store, blobs, media } = uses;
  const { key, transformation, expected } = rendition;
  const render = (bytes: PictureBytes, order: Pick<RenditionOrder, 'rotation' | 'alone' | 'originalSize'>) =>
    media.render(bytes, { customerId: photo.customerId, ...transformation, ...order });
  const { rotation, width, height } = photo;
  const larger = await storedLarger(uses, photo, rendition);
  // It is rotated already.
  const reduced =
    larger && (await render(larger, { rotation: 0, originalSize: { width, height } }).catch(unlessReaderFailed));
  const picture = reduced ?? (await triedTwice((alone) => render(originalBytes(uses, photo), { rotation, alone })));
  if (picture === null) return null;
  // Before they are there, or they would be compared with the first ones.
  if (expected !== null) {
    const thumb = { sizeBytes: picture.bytes.length, sha256: hash('sha256', picture.bytes) };
    await store.transaction(photo.customerId, ({ photos }) => photos.setThumb(photo.id, thumb));
  }
  const stored = await blobs.put(key, inOneChunk(picture.bytes));
  await requireStillThere({ store, blobs }, photo, key);
  if (isDelivered(key)) await removeSurplus(blobs, photo, key);
  return stored;
}

/** Returns the rendition if it is stored; null also when it has other bytes than it must have by now (`Photo.thumb`). Errors: `service_unavailable`. */
async function findRendition(
  uses: Pick<MakeUses, 'store' | 'blobs' | 'verifiedBlobs'>,
  { customerId, id }: Photo,
  { key, expected }: Rendition,
): Promise<BlobInfo | null> {
  // They may have been made again since the photo was read.
  const photo = expected && (await uses.store.query(customerId, ({ photos }) => photos.get(id)));
  const thumb = photo?.thumb ?? null;
  return thumb === null ? uses.blobs.head(key) : openStored(uses, { key, expected: thumb });
}

/** Finds and makes one rendition, for a `RenditionMaker`. */
export interface RenditionMaking {
  find(photo: Photo, rendition: Rendition): Promise<BlobInfo | null>;
  make(photo: Photo, rendition: Rendition): Promise<BlobInfo | null>;
}

export function renditionMaking(uses: MakeUses): RenditionMaking {
  return {
    find: (photo, rendition) => findRendition(uses, photo, rendition),
    make: (photo, rendition) => makeRendition(uses, photo, rendition),
  };
}

/**
 * A photo that was deleted, or whose customer was erased, in the meantime took its renditions along, except for this one. The process that deletes it
 * from here on finds this one, too.
 */
async function requireStillThere(
  { store, blobs }: { store: Readable<'photos'>; blobs: BlobStore },
  { customerId, id }: Photo,
  key: BlobKey,
): Promise<void> {
  if ((await store.query(customerId, ({ photos }) => photos.get(id))) !== null) return;
  await blobs.delete([key]);
  throw notFound('photo');
}

function unlessReaderFailed(error: unknown): null {
  if (error instanceof ReaderFailure) return null;
  throw error;
}

/** Retried once after a failure of the reader, alone: null when it fails again, because such a picture cannot be rendered here. */
async function triedTwice(
  render: (alone: boolean) => Promise<RenderedPicture | null>,
): Promise<RenderedPicture | null> {
  for (const alone of [false, true]) {
    try {
      return await render(alone);
    } catch (error) {
      if (!(error instanceof ReaderFailure)) throw error;
    }
  }
  return null;
}

/**
 * A lossy source must be so much larger, in both directions: its losses are then averaged out to less than those of the format of the
 * result.
 */
const LARGER_BY = 1.25;

/**
 * The smallest stored rendition that is large enough, which is decoded in a fraction of the time that the original takes. Null when there is
 * none, and when the photo itself is not larger than that.
 */
async function storedLarger(
  { blobs, verifiedBlobs }: Pick<MakeUses, 'blobs' | 'verifiedBlobs'>,
  photo: Photo,
  { transformation, source }: Rendition,
): Promise<PictureBytes | null> {
  if (source === null) return null;
  const { scaled } = layoutOf(photo, transformation);
  for (const name of renditionNames) {
    const size = renditionSizes[name];
    if (size >= Math.max(photo.width, photo.height)) return null;
    const { width, height } = layoutOf(photo, within(size, source)).scaled;
    if (width < scaled.width * LARGER_BY || height < scaled.height * LARGER_BY) continue;
    const { key, expected } = fixedRendition(photo, name, source);
    if (expected === null && (await blobs.head(key)) !== null) return storedBytes(blobs, key);
    const compared = expected && (await openStored({ verifiedBlobs }, { key, expected }));
    if (compared !== null) return compared.bytes;
  }
  return null;
}

/** Opened when they are read, and not while the picture is queued. */
function originalBytes(uses: OriginalUses, photo: Photo): PictureBytes {
  return {
    file: async () => (await uses.verifiedBlobs.file(storedKey(photo.blobKey)))?.path ?? null,
    async *[Symbol.asyncIterator]() {
      const { bytes, release } = await openOriginal(uses, photo, { isOnce: true });
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

/** Delivered pictures that are stored of one photo, in all its rotations. */
export const MAX_DELIVERED = 64;

/**
 * Removes the oldest delivered pictures of a photo beyond those that may be stored. Several processes may do so at once: each lists what it
 * and all that stored one before it have stored.
 */
async function removeSurplus(blobs: BlobStore, photo: Photo, latest: BlobKey): Promise<void> {
  const others: ListedBlob[] = [];
  for await (const blob of blobs.list(renditionsPrefix(photo))) {
    if (blob.key !== latest && isDelivered(blob.key)) others.push(blob);
  }
  const newestFirst = others.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
  await blobs.delete(newestFirst.slice(MAX_DELIVERED - 1).map(({ key }) => key));
}

function isDelivered(key: BlobKey): boolean {
  const name = readBlobKey(key);
  return name?.kind === 'renditions' && name.delivered;
}
