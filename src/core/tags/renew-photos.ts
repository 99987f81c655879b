import type { CustomerTransaction } from '../customers/customer-store.js';
import type { Uses } from '../ports.js';
import type { Id } from '../shared/ids.js';

/** Photos of which one transaction makes new versions: a fraction of a second, in which nobody else can change them. */
const AT_ONCE = 2000;

/** Whether so many photos have one of these tags that their new versions are left to `renewPhotos`. */
export async function areMany(
  { photos }: Pick<CustomerTransaction, 'photos'>,
  tagIds: readonly Id[],
): Promise<boolean> {
  return (await photos.countTagged(tagIds, AT_ONCE + 1)) > AT_ONCE;
}

/**
 * Gives the photos that departed tags have left their new versions, a transaction for so many at a time. Broken off, it finds
 * those that are left when it runs again, and no photo twice.
 */
export async function renewPhotos({ store, clock }: Uses<'store' | 'clock'>, customerId: Id): Promise<void> {
  const departed = await store.query(customerId, (reader) => reader.tags.departed());
  if (departed.length === 0) return;
  for (let after: Id | null = 0; after !== null; ) {
    const last: Id = after;
    // The time of each transaction, not of the deletion: who reads what was updated after a moment must not miss a photo.
    after = await store.transaction(customerId, ({ tags }) => tags.renew(departed, last, AT_ONCE, clock.now()));
  }
  await store.transaction(customerId, ({ tags }) => tags.forget(departed));
}
