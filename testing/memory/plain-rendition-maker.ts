import type { BlobKey } from '../../src/core/blobs/blob-key.js';
import type { BlobInfo } from '../../src/core/blobs/blob-store.js';
import type { Photo } from '../../src/core/photos/photo.js';
import type { RenditionMaking } from '../../src/core/photos/renditions/make.js';
import type { Rendition, RenditionMaker } from '../../src/core/photos/renditions/rendition.js';
import { notFound } from '../../src/core/shared/errors.js';

/** Calls for one rendition take turns. Failures are not remembered. */
export class PlainRenditionMaker implements RenditionMaker {
  /** @param turns The last turn for each rendition, of all processes that share it. */
  constructor(
    private readonly making: RenditionMaking,
    private readonly turns = new Map<BlobKey, Promise<unknown>>(),
  ) {}

  make(photo: Photo, rendition: Rendition, onStart: () => void = () => undefined): Promise<BlobInfo> {
    const { key } = rendition;
    const making = (this.turns.get(key) ?? Promise.resolve()).then(async () => {
      const stored = await this.making.find(photo, rendition);
      if (stored !== null) return stored;
      onStart();
      const made = await this.making.make(photo, rendition);
      if (made === null) throw notFound('rendition');
      return made;
    });
    this.turns.set(
      key,
      making.catch(() => undefined),
    );
    return making;
  }
}
