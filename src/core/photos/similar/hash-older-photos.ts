import { recycled } from '../../blobs/blob-bytes.js';
import type { CustomerDirectory } from '../../customers/customer-directory.js';
import type { MediaReader } from '../../media/media-reader.js';
import { isOutage } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Transactional } from '../../shared/transactional.js';
import { type Photo, rotate } from '../photo.js';
import { type RenditionUses, renditionOf } from '../renditions/rendition.js';

type HashUses = RenditionUses & {
  store: Transactional<'photos'>;
  customers: CustomerDirectory;
  media: MediaReader;
};

const BATCH = 100;
/** A `thumb` has far fewer. */
const MAX_PIXELS = 2 ** 20;

/**
 * Gives a perceptual hash to the photos that were imported before there were any. It is made from the stored `thumb`, which has the pixels
 * that an import hashes. Runs through all photos once in the life of a process: plain pictures, and those that cannot be read, stay
 * without.
 */
export class OlderPhotos {
  private position: { readonly customerId: Id; readonly photoId: Id } | null = null;
  private isDone = false;

  constructor(private readonly uses: HashUses) {}

  /** Stops soon after the signal; the next run continues. Errors: `service_unavailable`. */
  async hash(stopping?: AbortSignal): Promise<void> {
    if (this.isDone) return;
    const { customers } = this.uses;
    for (const { id: customerId } of await customers.list()) {
      if (this.position !== null && customerId < this.position.customerId) continue;
      await this.hashOf(customerId, stopping);
      if (stopping?.aborted) return;
    }
    this.isDone = true;
  }

  private async hashOf(customerId: Id, stopping?: AbortSignal): Promise<void> {
    const { store } = this.uses;
    let after = this.position?.customerId === customerId ? this.position.photoId : null;
    for (;;) {
      const ids = await store.query(customerId, ({ photos }) => photos.withoutHash(after, BATCH));
      for (const photoId of ids) {
        if (stopping?.aborted) return;
        after = photoId;
        // First, so that one that is unavailable does not hold up the others at every run.
        this.position = { customerId, photoId };
        await this.hashPhoto(customerId, photoId);
      }
      if (ids.length < BATCH) return;
    }
  }

  private async hashPhoto(customerId: Id, photoId: Id): Promise<void> {
    const { store } = this.uses;
    const photo = await store.query(customerId, ({ photos }) => photos.get(photoId));
    if (photo === null || photo.originalLostAt !== null) return;
    // An import hashes what has not been turned yet.
    const phash = await this.read(rotate(photo, 0)).catch(unlessOutage);
    if (phash !== null) await store.transaction(customerId, ({ photos }) => photos.setHash(photoId, phash));
  }

  private async read(photo: Photo): Promise<string | null> {
    const { bytes, release } = await renditionOf(this.uses, photo, { name: 'thumb' }).open();
    const { customerId } = photo;
    const inspection = await this.uses.media.inspect(recycled(bytes, release), { customerId, maxPixels: MAX_PIXELS });
    return inspection.outcome === 'picture' ? (inspection.facts.phash ?? null) : null;
  }
}

function unlessOutage(error: unknown): null {
  if (isOutage(error)) throw error;
  return null;
}
