import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { type ItemError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { tagLimitMessage } from './create-missing-tags.js';
import type { TagCreation } from './create-tag.js';
import { makeMissing, newTag } from './make-missing-tags.js';
import { type NewTag, type Tag } from './tag.js';

/** The outcome for one tag, in the order of the request. */
export type TagCreationResult =
  | { readonly index: number; readonly outcome: 'created' | 'existing'; readonly tag: Tag }
  | { readonly index: number; readonly outcome: 'rejected'; readonly error: ItemError };

/**
 * Creates many tags in one transaction. A name that is taken, by an existing tag or an earlier one of the request, is `existing`: that tag,
 * unchanged. An invalid name, or one beyond the customer's limit, is `rejected`, and the others continue.
 */
export async function createTags(
  { store, clock, limits }: { store: Transactional<'tags' | 'customer' | 'outbox'>; clock: Clock; limits: Limits },
  caller: Caller,
  all: readonly TagCreation[],
): Promise<readonly TagCreationResult[]> {
  const at = clock.now();
  const wanted = all.map((input) => newTag(input, at));
  const firsts = new Map<string, number>();
  for (const [index, tag] of wanted.entries()) {
    if ('nameKey' in tag && !firsts.has(tag.nameKey)) firsts.set(tag.nameKey, index);
  }
  return store.transaction(caller.customerId, async (transaction) => {
    const { tags, created } = await makeMissing(
      transaction,
      wanted.filter((tag, index): tag is NewTag => 'nameKey' in tag && firsts.get(tag.nameKey) === index),
      { limits, at },
    );
    return wanted.map((one, index): TagCreationResult => {
      if (!('nameKey' in one)) return { index, outcome: 'rejected', error: one };
      const tag = tags.get(one.nameKey);
      if (tag === undefined)
        return { index, outcome: 'rejected', error: { code: 'limit_reached', message: tagLimitMessage(limits) } };
      const isNew = created.has(one.nameKey) && firsts.get(one.nameKey) === index;
      return { index, outcome: isNew ? 'created' : 'existing', tag };
    });
  });
}
