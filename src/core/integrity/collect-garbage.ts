import { allKinds, type BlobKey, type BlobKind } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { after, type Clock, SECOND } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { RenditionBytes } from './rendition-bytes.js';
import { removableAmong, unownedBlobs } from './unowned.js';

/** How long an unowned blob is left alone: its owner may be about to be stored. */
export const GRACE_SECONDS = 24 * 60 * 60;

export interface GarbageOptions {
  /** Only blobs written at least so many seconds ago. 0 is safe too: a removed blob is sent or generated again. */
  readonly graceSeconds: number;
  /** Default: all, including what unfinished puts have left. */
  readonly kinds?: readonly BlobKind[] | undefined;
}

/** Number of removed blobs, and their bytes. */
export type Collected = Readonly<Record<BlobKind | 'bytes', number>>;

export interface GarbageUses {
  readonly store: Transactional<'imports' | 'importPhotos' | 'blobOwners'>;
  readonly customers: Pick<CustomerDirectory, 'setRenditionBytes'>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/**
 * Removes blobs that no row relies on, and none that a row does, even if that row appears while this runs (docs/decisions/0012). May run in
 * several processes at once, beside everything else, and be stopped at any time. Since it looks at every rendition, it also counts what they
 * take: nothing else would without listing them all.
 */
export async function collectGarbage(
  uses: GarbageUses,
  { graceSeconds, kinds }: GarbageOptions,
  stopping?: AbortSignal,
): Promise<Collected> {
  const collected = { staging: 0, originals: 0, renditions: 0, bytes: 0 };
  const renditions = new RenditionBytes();
  for (const kind of kinds ?? allKinds) {
    // Read again: in a store that links files, removing a staged file may make the original that shares its bytes look newer.
    const until = after(uses.clock.now(), -graceSeconds * SECOND);
    for await (const batch of unownedBlobs(uses, [kind], until, renditions.add)) {
      if (stopping?.aborted) return collected;
      const removable = await removableAmong(uses, batch);
      await uses.blobs.delete(removable.map(({ key }): BlobKey => key));
      collected[kind] += removable.length;
      for (const { name, sizeBytes } of removable) {
        collected.bytes += sizeBytes;
        renditions.add(name, -sizeBytes);
      }
    }
    if (kind === 'renditions') await uses.customers.setRenditionBytes(renditions.byCustomer);
  }
  if (kinds === undefined && !stopping?.aborted)
    await uses.blobs.sweep(after(uses.clock.now(), -graceSeconds * SECOND));
  return collected;
}
