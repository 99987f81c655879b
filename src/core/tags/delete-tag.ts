import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, unconditional } from '../shared/precondition.js';
import type { Tag } from './tag.js';

/** Takes the tag off all its photos and deletes it. Errors: `not_found`, `precondition_failed`. */
export function deleteTag(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: Caller,
  id: Id,
  check: Precondition<Tag> = unconditional,
): Promise<void> {
  return store.within(caller.customerId, async (work) => {
    check(found((await work.tags.lock([id]))[0], 'tag'));
    await work.tags.delete(id, clock.now());
  });
}
