import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { createMissingTags, requireTagsWithinLimit } from './create-missing-tags.js';
import { lockTags } from './lock-tags.js';
import { namesIn, type TagRequest } from './tag-request.js';
import { unknownTags } from './tag-values.js';

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
  if (unknown.length > 0) throw invalid(...unknownTags(`${prefix}tagIds`, unknown));
  const missing = [...names]
    .filter(([key]) => !locked.some((tag) => tag.nameKey === key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const ids = new Set(locked.map((tag) => tag.id));
  if (missing.length > 0) {
    requireScope(caller, 'tags:write');
    await customer.lock();
    await requireTagsWithinLimit(tags, missing.length, limits);
    const created = missing.map(([nameKey, name]) => ({
      name,
      nameKey,
      color: null,
      description: null,
      createdAt: at,
    }));
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
