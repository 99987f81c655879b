import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { isTrashed, type PhotoWithTags, trash, withNewVersion } from './photo.js';

/**
 * Moves a photo to the trash, from which it can be restored. Errors: `not_found` (also if it is in the trash already),
 * `precondition_failed`.
 */
export function trashPhoto(
  { store, clock }: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  caller: Caller,
  id: Id,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<void> {
  return store.transaction(caller.customerId, async (transaction) => {
    const photo = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    if (isTrashed(photo)) throw notFound('photo');
    check(photo);
    const at = clock.now();
    const { trashRetentionDays } = await transaction.customer.read();
    await transaction.photos.update(withNewVersion(photo, trash(photo, at, trashRetentionDays), at));
    await transaction.outbox.add('photo.trashed', [id], at);
  });
}
