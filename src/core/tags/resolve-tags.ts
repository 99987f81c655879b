import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { invalid, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { createMissingTags, requireTagsWithinLimit } from './create-tags.js';
import { nameKeysIn, namesIn, newTag, type Tag, type TagRequest, unknownTags } from './tag.js';
import type { TagRepository } from './tag-repository.js';

/**
 * The ids of all tags that a request names, each once, ascending. They are locked until the transaction ends. Together with `beside`, the
 * photo's other tags, they must not exceed the limit for a photo. Call `lockForNewTags` first. Errors: `invalid_request` (`unknown_tag`,
 * `too_many`), `scope_required`, `limit_reached`.
 */
export async function resolveTags(
  transaction: Transaction<'tags' | 'customer' | 'outbox'>,
  caller: Pick<Caller, 'scopes'>,
  request: TagRequest,
  { limits, at, prefix = '', beside = [] }: { limits: Limits; at: Date; prefix?: string; beside?: readonly Id[] },
): Promise<readonly Id[]> {
  const { tags, customer } = transaction;
  const names = namesIn(request, `${prefix}tagNames`);
  const locked = await lockTags(tags, [request]);
  const unknown = [...new Set(request.tagIds ?? [])].filter((id) => !locked.some((tag) => tag.id === id));
  requireValid(unknownTags(`${prefix}tagIds`, unknown));
  const missing = [...names]
    .filter(([key]) => !locked.some((tag) => tag.nameKey === key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const ids = new Set(locked.map((tag) => tag.id));
  if (missing.length > 0) {
    requireScope(caller, 'tags:write');
    await customer.lock();
    await requireTagsWithinLimit(tags, missing.length, limits);
    const created = missing.map(([, name]) => newTag({ name }, at));
    for (const { id } of (await createMissingTags(transaction, created, at)).tags.values()) ids.add(id);
  }
  const areTooMany = (others: readonly Id[]) => new Set([...ids, ...others]).size > limits.tagsPerPhoto;
  // Some of those may have been deleted since they were named.
  if (areTooMany(beside) && areTooMany((await tags.getMany(beside)).map((tag) => tag.id))) {
    const message = `A photo can have at most ${limits.tagsPerPhoto} tags.`;
    throw invalid({ field: `${prefix}tagIds`, code: 'too_many', message, max: limits.tagsPerPhoto });
  }
  return [...ids].sort((a, b) => a - b);
}

/**
 * Locks the customer until the transaction ends if one of these requests names a tag that does not exist yet: tags are created one
 * transaction at a time, so that their number stays within its limit. Call it before anything else is locked.
 */
export async function lockForNewTags(
  { tags, customer }: Transaction<'tags' | 'customer'>,
  ...requests: readonly TagRequest[]
): Promise<void> {
  const nameKeys = nameKeysIn(requests);
  if (nameKeys.length === 0) return;
  if ((await tags.findByNameKeys(nameKeys)).length < nameKeys.length) await customer.lock();
}

/**
 * Locks every existing tag that the requests name, in one ascending order: a transaction that locks tags for several photos calls it for
 * all of them first, so that two transactions cannot deadlock.
 */
export async function lockTags(tags: TagRepository, requests: readonly TagRequest[]): Promise<readonly Tag[]> {
  const nameKeys = nameKeysIn(requests);
  const named = nameKeys.length === 0 ? [] : await tags.findByNameKeys(nameKeys);
  return tags.lock([...new Set([...requests.flatMap(({ tagIds = [] }) => tagIds), ...named.map((tag) => tag.id)])]);
}
