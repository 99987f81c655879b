import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transactional } from '../shared/transactional.js';

/** Photos that get a new version in one transaction: a fraction of a second, during which nobody else can change them. */
const BATCH = 2000;

/** Whether so many photos have one of these tags that their new versions are left to `bumpPhotoVersions`. */
export async function exceedsOneTransaction(
  { taggedPhotos }: Reader<'taggedPhotos'>,
  tagIds: readonly Id[],
): Promise<boolean> {
  return (await taggedPhotos.countTagged(tagIds, BATCH + 1)) > BATCH;
}

/**
 * Gives the photos of deleted tags (tombstones) their new versions, in transactions of so many at a time. If interrupted, the next run
 * continues with the remaining photos, and updates none twice.
 */
export async function bumpPhotoVersions(
  { store, clock }: { store: Transactional<'tags'>; clock: Clock },
  customerId: Id,
): Promise<void> {
  const tombstones = await store.query(customerId, (reader) => reader.tags.tombstones());
  if (tombstones.length === 0) return;
  for (let after: Id | null = 0; after !== null; ) {
    const last: Id = after;
    // The time of each transaction, not of the deletion: clients that read what was updated after a moment must not miss a photo.
    after = await store.transaction(customerId, ({ tags }) => tags.bumpVersions(tombstones, last, BATCH, clock.now()));
  }
  await store.transaction(customerId, ({ tags }) => tags.dropTombstones(tombstones));
}
