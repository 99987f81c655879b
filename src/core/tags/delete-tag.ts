import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, unconditional } from '../shared/precondition.js';
import { areMany } from './renew-photos.js';
import type { Tag } from './tag.js';

/**
 * Takes the tag off all its photos and deletes it. Where they are many their new versions come behind the answer
 * (`renewPhotos`); nothing else of the tag is left. Errors: `not_found`, `precondition_failed`.
 */
export function deleteTag(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: Caller,
  id: Id,
  check: Precondition<Tag> = unconditional,
): Promise<void> {
  return store.within(caller.customerId, async (work) => {
    const many = await areMany(work, [id]);
    if (!many) await work.photos.lockTagged([id], []);
    check(found((await work.tags.lock([id]))[0], 'tag'));
    const at = clock.now();
    await work.tags.delete(id, many ? null : at);
    await work.outbox.add('tag.deleted', [id], at);
    if (many) await work.jobs.add({ kind: 'renew' });
  });
}
