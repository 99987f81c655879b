import type { Caller } from '../access/caller.js';
import { announcePhotos } from '../events/event.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Reader, type Transactional, unconditional } from '../shared/transactional.js';
import type { Tag } from './tag.js';

/**
 * Removes the tag from all its photos and deletes it. If there are many, they get their new versions after the response
 * (`bumpPhotoVersions`); nothing else of the tag is left. Errors: `not_found`, `precondition_failed`.
 */
export function deleteTag(
  { store, clock }: { store: Transactional<'tags' | 'taggedPhotos' | 'jobs' | 'outbox'>; clock: Clock },
  caller: Caller,
  id: Id,
  check: Precondition<Tag> = unconditional,
): Promise<void> {
  return store.transaction(caller.customerId, async (transaction) => {
    const many = await exceedsOneTransaction(transaction, [id]);
    if (!many) await transaction.taggedPhotos.lockTagged([id], []);
    check(requireFound((await transaction.tags.lock([id]))[0], 'tag'));
    const at = clock.now();
    await announcePhotos(transaction, 'updated', await transaction.tags.delete(id, many ? null : at), at);
    await transaction.outbox.add('tag.deleted', [id], at);
    if (many) await transaction.jobs.add({ kind: 'renew' });
  });
}

/** Photos that get a new version in one transaction: a fraction of a second, during which no one else can change them. */
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
  { store, clock }: { store: Transactional<'tags' | 'outbox'>; clock: Clock },
  customerId: Id,
): Promise<void> {
  const tombstones = await store.query(customerId, (reader) => reader.tags.tombstones());
  if (tombstones.length === 0) return;
  for (let after: Id | null = 0; after !== null; ) {
    const last: Id = after;
    // The time of each transaction, not of the deletion: clients that read what was updated after a moment must not miss a photo.
    after = await store.transaction(customerId, async (transaction) => {
      const at = clock.now();
      const bumped = await transaction.tags.bumpVersions(tombstones, last, BATCH, at);
      await announcePhotos(transaction, 'updated', bumped.changed, at);
      return bumped.last;
    });
  }
  await store.transaction(customerId, ({ tags }) => tags.dropTombstones(tombstones));
}
