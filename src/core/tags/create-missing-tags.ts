import type { Limits } from '../customers/limits.js';
import { DomainError } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import type { NewTag, Tag } from './tag.js';
import type { TagRepository } from './tag-repository.js';

/** Tags by the keys of their names, and which of them are new. */
export interface TagsByKey {
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

/** How many more tags the customer may have. It must be locked. */
export async function countFreeTags(tags: TagRepository, limits: Limits): Promise<number> {
  return Math.max(0, limits.tags - (await tags.count()));
}

/** The customer must be locked, or two requests could exceed the limit together. Errors: `limit_reached`. */
export async function requireTagsWithinLimit(tags: TagRepository, more: number, limits: Limits): Promise<void> {
  if (more <= (await countFreeTags(tags, limits))) return;
  throw new DomainError('limit_reached', tagLimitMessage(limits), { limit: limits.tags, name: 'tags' });
}

export function tagLimitMessage(limits: Limits): string {
  return `A customer can have at most ${limits.tags} tags. Delete or merge some first.`;
}
