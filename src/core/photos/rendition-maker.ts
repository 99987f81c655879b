import { type BlobKey } from '../blobs/blob-key.js';
import type { BlobInfo } from '../blobs/blob-store.js';
import { inOneChunk } from '../blobs/open-blob.js';
import {
  type MediaReader,
  type PictureBytes,
  ReaderFailure,
  type RenderedPicture,
  type RenditionOrder,
} from '../media/media-reader.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Readable } from '../shared/transactional.js';
import { isDelivered, removeSurplus } from './delivered-surplus.js';
import { FailedRenditions } from './failed-renditions.js';
import type { OriginalUses } from './open-original.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';
import type { RenditionLocks } from './rendition-locks.js';
import { originalBytes, storedLarger } from './rendition-source.js';

type MakerUses = OriginalUses & {
  store: Readable<'photos'>;
  media: MediaReader;
  renditionLocks: RenditionLocks;
  clock: Clock;
};

/**
 * Makes renditions, each once: concurrent requests wait for the same one, in other processes too. One that cannot be made is not attempted
 * again for a while. A process has one of these.
 */
export class RenditionMaker {
  private readonly underWay = new Map<BlobKey, Promise<BlobInfo>>();
  private readonly failed: FailedRenditions;

  constructor(private readonly uses: MakerUses) {
    this.failed = new FailedRenditions(uses.clock);
  }

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

  private async makeOnce(photo: Photo, rendition: Rendition, onStart: () => void): Promise<BlobInfo> {
    if (this.failed.has(photo, rendition)) throw notFound('rendition');
    const { blobs, renditionLocks } = this.uses;
    const { key } = rendition;
    return renditionLocks.findOrMake(
      { customerId: photo.customerId, key },
      {
        find: () => blobs.head(key),
        make: async () => {
          onStart();
          const made = await make(this.uses, photo, rendition);
          if (made !== null) return made;
          this.failed.add(photo, rendition);
          throw notFound('rendition');
        },
      },
    );
  }
}

/** Null when it cannot be made. */
async function make(uses: MakerUses, photo: Photo, rendition: Rendition): Promise<BlobInfo | null> {
  const { store, blobs, media } = uses;
  const { key, transformation } = rendition;
  const render = (bytes: PictureBytes, order: Pick<RenditionOrder, 'rotation' | 'alone' | 'originalSize'>) =>
    media.render(bytes, { customerId: photo.customerId, ...transformation, ...order });
  const { rotation, width, height } = photo;
  const larger = await storedLarger(blobs, photo, rendition);
  // It is rotated already.
  const reduced =
    larger && (await render(larger, { rotation: 0, originalSize: { width, height } }).catch(unlessReaderFailed));
  const picture = reduced ?? (await triedTwice((alone) => render(originalBytes(uses, photo), { rotation, alone })));
  if (picture === null) return null;
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
