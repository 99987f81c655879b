import type { Transaction } from '../shared/transactional.js';
import type { Tag } from './tag.js';
import type { TagRepository } from './tag-repository.js';
import { nameKeysIn, type TagRequest } from './tag-request.js';

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
