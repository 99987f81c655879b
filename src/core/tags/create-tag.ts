import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { requireTagsWithinLimit } from './create-missing-tags.js';
import type { Tag } from './tag.js';
import { newTag, type TagCreation } from './tag-values.js';

/** Errors: `invalid_request`, `tag_name_taken`, `limit_reached`. With `ifExists: 'return'`, returns the tag that has the name. */
export async function createTag(
  { store, clock, limits }: { store: Transactional<'tags' | 'customer' | 'outbox'>; clock: Clock; limits: Limits },
  caller: Caller,
  input: TagCreation,
  ifExists: 'fail' | 'return' = 'fail',
): Promise<{ tag: Tag; created: boolean }> {
  const given = newTag(input, clock.now());
  return store.transaction(caller.customerId, async (transaction) => {
    const named = async () => (await transaction.tags.findByNameKeys([given.nameKey]))[0];
    let existing = await named();
    if (existing === undefined) {
      // Tags are created one at a time, so that their number stays within its limit; this name may be one of them.
      await transaction.customer.lock();
      existing = await named();
    }
    if (existing === undefined) {
      await requireTagsWithinLimit(transaction.tags, 1, limits);
      const tag = await transaction.tags.insert({ ...given, createdAt: clock.now() });
      if (tag !== null) {
        await transaction.outbox.add('tag.created', [tag.id], tag.createdAt);
        return { tag, created: true };
      }
    }
    const taken = existing ?? (await named());
    if (taken !== undefined && ifExists === 'return') return { tag: taken, created: false };
    throw nameTaken(taken);
  });
}

export function nameTaken(tag: Tag | undefined): DomainError {
  const message = 'A tag with this name exists (case is ignored). Use that tag, or merge the two with mergeTagIds.';
  return new DomainError('tag_name_taken', message, { tagId: tag?.id ?? null });
}
