import { type BlobKey, readBlobKey, renditionKey, renditionsPrefix, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ListedBlob } from '../blobs/blob-store.js';
import { inOneChunk, recycled } from '../blobs/open-blob.js';
import { type MediaReader, ReaderFailure, type RenderedPicture, type RenditionOrder } from '../media/media-reader.js';
import { renditionNames, renditionSizes } from '../media/renditions.js';
import { layoutOf, type Size, within } from '../media/transformation.js';
import { notFound } from '../shared/errors.js';
import type { Readable } from '../shared/transactional.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';
import type { RenditionLocks } from './rendition-locks.js';
import { lostBytes, lostOriginal, verified } from './verified-bytes.js';

type MakerUses = { store: Readable<'photos'>; blobs: BlobStore; media: MediaReader; renditionLocks: RenditionLocks };

/** Delivered pictures that are stored of one photo, in all its rotations. */
export const MAX_DELIVERED = 64;

/**
 * A lossy source must be so much larger, in both directions: its losses are then averaged out to less than those of the format of the
 * result.
 */
const LARGER_BY = 1.25;

/** Makes renditions, each once: concurrent requests wait for the same one, in other processes too. A process has one of these. */
export class RenditionMaker {
  private readonly underWay = new Map<BlobKey, Promise<BlobInfo>>();

  constructor(private readonly uses: MakerUses) {}

  /**
   * Stores a rendition of a photo in its current rotation. Errors: `not_found` (it cannot be made, or the photo no longer exists),
   * `service_unavailable`.
   * @param onStart Called when it is made for this request, and not for another.
   */
  make(photo: Photo, rendition: Rendition, onStart: () => void = () => undefined): Promise<BlobInfo> {
    const { key } = rendition;
    const making =
      this.underWay.get(key) ?? this.makeOnce(photo, rendition, onStart).finally(() => this.underWay.delete(key));
    this.underWay.set(key, making);
    return making;
  }

  private makeOnce(photo: Photo, rendition: Rendition, onStart: () => void): Promise<BlobInfo> {
    const { blobs, renditionLocks } = this.uses;
    const { key } = rendition;
    return renditionLocks.findOrMake(
      { customerId: photo.customerId, key },
      {
        find: () => blobs.head(key),
        make: () => {
          onStart();
          return make(this.uses, photo, rendition);
        },
      },
    );
  }
}

async function make({ store, blobs, media }: MakerUses, photo: Photo, rendition: Rendition): Promise<BlobInfo> {
  const { key, transformation } = rendition;
  const render = (
    bytes: AsyncIterable<Uint8Array>,
    order: Pick<RenditionOrder, 'rotation' | 'alone' | 'originalSize'>,
  ) => media.render(bytes, { customerId: photo.customerId, ...transformation, ...order });
  const { rotation, width, height } = photo;
  const larger = await storedLarger(blobs, photo, rendition);
  // It is rotated already.
  const reduced =
    larger && (await render(larger, { rotation: 0, originalSize: { width, height } }).catch(unlessReaderFailed));
  const picture = reduced ?? (await triedTwice((alone) => render(originalBytes(blobs, photo), { rotation, alone })));
  if (picture === null) throw notFound('rendition');
  const stored = await blobs.put(key, inOneChunk(picture.bytes));
  await requireStillThere({ store, blobs }, photo, key);
  if (isDelivered(key)) await removeSurplus(blobs, photo, key);
  return stored;
}

/**
 * A photo that was deleted, or whose customer was erased, in the meantime took its renditions along, except for this one. Whoever deletes it
 * from here on finds this one, too.
 */
async function requireStillThere(
  { store, blobs }: Pick<MakerUses, 'store' | 'blobs'>,
  { customerId, id }: Photo,
  key: BlobKey,
): Promise<void> {
  if ((await store.query(customerId, ({ photos }) => photos.get(id))) !== null) return;
  await blobs.delete([key]);
  throw notFound('photo');
}

/**
 * The smallest stored rendition that is large enough, which is decoded in a fraction of the time that the original takes. Null when there is
 * none, and when the photo itself is not larger than that.
 */
async function storedLarger(
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

/** Opened when they are read, and not while the picture is queued. */
async function* originalBytes(blobs: BlobStore, photo: Photo): AsyncIterable<Uint8Array> {
  const original = await blobs.get(storedKey(photo.blobKey));
  if (original === null) throw photo.originalLostAt === null ? lostBytes() : lostOriginal();
  yield* recycled(verified(original.bytes, photo.sha256), original.release);
}

async function* storedBytes(blobs: BlobStore, key: BlobKey): AsyncIterable<Uint8Array> {
  const blob = await blobs.get(key);
  if (blob === null) throw new ReaderFailure('The stored rendition has disappeared.');
  yield* recycled(blob.bytes, blob.release);
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
