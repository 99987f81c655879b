import type { Limits } from '../customers/limits.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import type { TagRepository } from './tag-repository.js';

/**
 * Creates tags by the keys of their names; one that exists by then is used. The customer must be locked. The ids of all. Errors:
 * `limit_reached`.
 */
export async function createMissingTags(
  { tags, outbox }: Transaction<'tags' | 'outbox'>,
  names: ReadonlyMap<string, string>,
  limits: Limits,
  at: Date,
): Promise<Id[]> {
  if (names.size === 0) return [];
  await requireTagsWithinLimit(tags, names.size, limits);
  const ids: Id[] = [];
  const made: Id[] = [];
  for (const [nameKey, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const created = await tags.insert({ name, nameKey, color: null, description: null, createdAt: at });
    if (created !== null) made.push(created.id);
    // Another request was first: use the tag that it created.
    const tag = created ?? (await tags.findByNameKeys([nameKey]))[0];
    if (tag !== undefined) ids.push(tag.id);
  }
  await outbox.add('tag.created', made, at);
  return ids;
}

/** The customer must be locked, or two requests could exceed the limit together. Errors: `limit_reached`. */
export async function requireTagsWithinLimit(tags: TagRepository, more: number, limits: Limits): Promise<void> {
  if ((await tags.count()) + more <= limits.tags) return;
  throw new DomainError('limit_reached', tagLimitMessage(limits), { limit: limits.tags, name: 'tags' });
}

export function tagLimitMessage(limits: Limits): string {
  return `A customer can have at most ${limits.tags} tags. Delete or merge some first.`;
}
