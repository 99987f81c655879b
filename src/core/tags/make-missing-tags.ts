import type { Limits } from '../customers/limits.js';
import { DomainError, type ItemError, invalid } from '../shared/errors.js';
import { foldKey } from '../shared/text.js';
import type { Transaction } from '../shared/transactional.js';
import type { TagCreation } from './create-tag.js';
import { type NewTag, parseTagName, type Tag } from './tag.js';
import { cleanDescription, tagErrors } from './tag-values.js';

export function newTag(input: TagCreation, createdAt: Date): NewTag | ItemError {
  try {
    const errors = tagErrors(input);
    if (errors.length > 0) throw invalid(...errors);
    const name = parseTagName(input.name, 'name');
    const color = input.color?.toLowerCase() ?? null;
    return { name, nameKey: foldKey(name), color, description: cleanDescription(input.description), createdAt };
  } catch (error) {
    if (error instanceof DomainError) return { code: 'invalid_request', message: error.message };
    throw error;
  }
}

/** Tags by name key, existing and new ones; the first of the request are created as far as the limit allows. */
export async function makeMissing(
  { tags, outbox, customer }: Transaction<'tags' | 'customer' | 'outbox'>,
  wanted: readonly NewTag[],
  { limits, at }: { limits: Limits; at: Date },
): Promise<{ tags: ReadonlyMap<string, Tag>; created: ReadonlySet<string> }> {
  const keys = wanted.map((tag) => tag.nameKey);
  const byKey = new Map((await tags.findByNameKeys(keys)).map((tag) => [tag.nameKey, tag]));
  const made: Tag[] = [];
  if (byKey.size === keys.length) return { tags: byKey, created: new Set() };
  // Tags are created by one transaction at a time, so that their number stays within its limit; another may just have created some of
  // these.
  await customer.lock();
  for (const tag of await tags.findByNameKeys(keys)) byKey.set(tag.nameKey, tag);
  const missing = wanted.filter((tag) => !byKey.has(tag.nameKey));
  const room = Math.max(0, limits.tags - (await tags.count()));
  for (const one of missing.slice(0, room)) {
    const tag = await tags.insert(one);
    if (tag !== null) made.push(tag);
    const stored = tag ?? (await tags.findByNameKeys([one.nameKey]))[0];
    if (stored !== undefined) byKey.set(one.nameKey, stored);
  }
  await outbox.add(
    'tag.created',
    made.map((tag) => tag.id),
    at,
  );
  return { tags: byKey, created: new Set(made.map((tag) => tag.nameKey)) };
}
