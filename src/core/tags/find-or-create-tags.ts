import type { Limits } from '../customers/limits.js';
import type { Transaction } from '../shared/transactional.js';
import { countFreeTags, createMissingTags, type TagsByKey } from './create-missing-tags.js';
import type { NewTag } from './tag.js';

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
