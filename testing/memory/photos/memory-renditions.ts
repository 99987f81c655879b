import type { RenditionLease, RenditionLeases } from '../../../src/adapters/decorators/shared-rendition-maker.js';
import type { BlobKey } from '../../../src/core/blobs/blob-key.js';
import type { BlobInfo } from '../../../src/core/blobs/blob-store.js';
import type { Photo } from '../../../src/core/photos/photo.js';
import type { RenditionMaking } from '../../../src/core/photos/renditions/make.js';
import type { Rendition, RenditionMaker } from '../../../src/core/photos/renditions/rendition.js';
import { notFound } from '../../../src/core/shared/errors.js';

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

/** Shared by processes of a test. */
export class MemoryRenditionLeases implements RenditionLeases {
  private readonly held = new Map<string, { token: string; until: number }>();

  async acquire(lease: RenditionLease, seconds: number): Promise<boolean> {
    if ((this.held.get(lease.key)?.until ?? 0) > performance.now()) return false;
    this.held.set(lease.key, { token: lease.token, until: performance.now() + seconds * 1000 });
    return true;
  }

  async extend(lease: RenditionLease, seconds: number): Promise<void> {
    const held = this.held.get(lease.key);
    if (held?.token === lease.token) held.until = performance.now() + seconds * 1000;
  }

  async release(lease: RenditionLease): Promise<void> {
    if (this.held.get(lease.key)?.token === lease.token) this.held.delete(lease.key);
  }

  /** Ends the leases, as passing time does. */
  expire(): void {
    for (const held of this.held.values()) held.until = 0;
  }
}
