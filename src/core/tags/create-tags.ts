import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { type NewTag, nameTaken, newTag, type Tag, type TagCreation } from './tag.js';
import type { TagRepository } from './tag-repository.js';

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
  const wanted = all.map((input): NewTag | ItemError => {
    try {
      return newTag(input, at);
    } catch (error) {
      if (error instanceof DomainError) return { code: 'invalid_request', message: error.message };
      throw error;
    }
  });
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

/** Existing tags and new ones; the first of those that are missing are created, as far as the limit allows. */
export async function findOrCreateTags(
  transaction: Transaction<'tags' | 'customer' | 'outbox'>,
  wanted: readonly NewTag[],
  limits: Limits,
  at: Date,
): Promise<TagsByKey> {
  const { tags, customer } = transaction;
  const keys = wanted.map(({ nameKey }) => nameKey);
  const existing = new Map((await tags.findByNameKeys(keys)).map((tag) => [tag.nameKey, tag]));
  if (existing.size === keys.length) return { tags: existing, created: new Set() };
  // Tags are created by one transaction at a time, so that their number stays within its limit; another may just have created some of
  // these.
  await customer.lock();
  for (const tag of await tags.findByNameKeys(keys)) existing.set(tag.nameKey, tag);
  const missing = wanted.filter(({ nameKey }) => !existing.has(nameKey));
  const made = await createMissingTags(transaction, missing.slice(0, await countFreeTags(tags, limits)), at);
  return { tags: new Map([...existing, ...made.tags]), created: made.created };
}

/** Tags by the keys of their names, and which of them are new. */
interface TagsByKey {
  readonly tags: ReadonlyMap<string, Tag>;
  readonly created: ReadonlySet<string>;
}

/**
 * Creates tags in this order. A name that another request has given away by then belongs to the tag that it gave it to. The customer must be
 * locked, or two requests could exceed the limit together.
 */
export async function createMissingTags(
  { tags, outbox }: Transaction<'tags' | 'outbox'>,
  missing: readonly NewTag[],
  at: Date,
): Promise<TagsByKey> {
  const byKey = new Map<string, Tag>();
  const created: Tag[] = [];
  for (const one of missing) {
    const tag = await tags.insert(one);
    if (tag !== null) created.push(tag);
    const stored = tag ?? (await tags.findByNameKeys([one.nameKey]))[0];
    if (stored !== undefined) byKey.set(one.nameKey, stored);
  }
  const ids = created.map(({ id }) => id);
  await outbox.add('tag.created', ids, at);
  return { tags: byKey, created: new Set(created.map(({ nameKey }) => nameKey)) };
}

/** Returns how many more tags the customer may have. It must be locked. */
async function countFreeTags(tags: TagRepository, limits: Limits): Promise<number> {
  return Math.max(0, limits.tags - (await tags.count()));
}

/** The customer must be locked, or two requests could exceed the limit together. Errors: `limit_reached`. */
export async function requireTagsWithinLimit(tags: TagRepository, more: number, limits: Limits): Promise<void> {
  if (more <= (await countFreeTags(tags, limits))) return;
  throw new DomainError('limit_reached', tagLimitMessage(limits), { limit: limits.tags, name: 'tags' });
}

function tagLimitMessage(limits: Limits): string {
  return `A customer can have at most ${limits.tags} tags. Delete or merge some first.`;
}
