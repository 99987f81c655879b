import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { tagLimitMessage } from './create-missing-tags.js';
import { findOrCreateTags } from './find-or-create-tags.js';
import type { NewTag, Tag } from './tag.js';
import { newTag, type TagCreation } from './tag-values.js';

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
  const wanted = all.map((input) => newTagOrError(input, at));
  const firsts = new Map<string, number>();
  for (const [index, tag] of wanted.entries()) {
    if ('nameKey' in tag && !firsts.has(tag.nameKey)) firsts.set(tag.nameKey, index);
  }
  const isFirst = (tag: NewTag | ItemError, index: number): tag is NewTag =>
    'nameKey' in tag && firsts.get(tag.nameKey) === index;
  return store.transaction(caller.customerId, async (transaction) => {
    const { tags, created } = await findOrCreateTags(transaction, wanted.filter(isFirst), limits, at);
    return wanted.map((one, index): TagCreationResult => {
      if (!('nameKey' in one)) return { index, outcome: 'rejected', error: one };
      const tag = tags.get(one.nameKey);
      if (tag === undefined)
        return { index, outcome: 'rejected', error: { code: 'limit_reached', message: tagLimitMessage(limits) } };
      return { index, outcome: created.has(one.nameKey) && isFirst(one, index) ? 'created' : 'existing', tag };
    });
  });
}

function newTagOrError(input: TagCreation, createdAt: Date): NewTag | ItemError {
  try {
    return newTag(input, createdAt);
  } catch (error) {
    if (error instanceof DomainError) return { code: 'invalid_request', message: error.message };
    throw error;
  }
}
