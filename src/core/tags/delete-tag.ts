import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { exceedsOneTransaction } from './bump-photo-versions.js';
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
    await transaction.tags.delete(id, many ? null : at);
    await transaction.outbox.add('tag.deleted', [id], at);
    if (many) await transaction.jobs.add({ kind: 'renew' });
  });
}
