import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { DomainError, type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { foldKey } from '../shared/text.js';
import type { Transaction } from '../shared/transactional.js';
import { nameKeyOf, parseTagName, type Tag, tagNameError } from './tag.js';
import type { TagRepository } from './tag-repository.js';

/** Tags as requests name them: by id, by name, or both. */
export interface TagRequest {
  readonly tagIds?: readonly Id[] | undefined;
  /** Names that do not exist yet are created, which needs the scope `tags:write`. */
  readonly tagNames?: readonly string[] | undefined;
}

/**
 * The ids of all tags that a request names, each once, ascending. They are locked until the transaction ends. Together with `beside`, the
 * photo's other tags, they must not exceed the limit for a photo. Call `lockForNewTags` first. Errors: `invalid_request` (`unknown_tag`,
 * `too_many`), `scope_required`, `limit_reached`.
 */
export async function resolveTags(
  { tags, outbox, customer }: Transaction<'tags' | 'customer' | 'outbox'>,
  caller: Pick<Caller, 'scopes'>,
  request: TagRequest,
  { limits, at, prefix = '', beside = [] }: { limits: Limits; at: Date; prefix?: string; beside?: readonly Id[] },
): Promise<readonly Id[]> {
  const names = namesIn(request, `${prefix}tagNames`);
  const locked = await lockTags(tags, [request]);
  const unknown = [...new Set(request.tagIds ?? [])]
    .filter((id) => !locked.some((tag) => tag.id === id))
    .map((id): FieldError => {
      return { field: `${prefix}tagIds`, code: 'unknown_tag', message: `Tag ${id} does not exist.` };
    });
  if (unknown.length > 0) throw invalid(...unknown);
  const missing = new Map([...names].filter(([key]) => !locked.some((tag) => tag.nameKey === key)));
  if (missing.size > 0) {
    requireScope(caller, 'tags:write');
    await customer.lock();
  }
  const ids = new Set([...locked.map((tag) => tag.id), ...(await create({ tags, outbox }, missing, limits, at))]);
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

/** Problems with the names that do not depend on existing tags: each once. */
export function nameErrors({ tagNames = [] }: TagRequest): FieldError[] {
  const errors = tagNames.flatMap((name) => tagNameError(name, 'tagNames') ?? []);
  return [...new Map(errors.map((error) => [error.code, error])).values()];
}

/** The cleaned names by their keys. Errors: `invalid_request`. */
function namesIn({ tagNames = [] }: TagRequest, field: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of tagNames) {
    const clean = parseTagName(name, field);
    if (!names.has(foldKey(clean))) names.set(foldKey(clean), clean);
  }
  return names;
}

function nameKeysIn(requests: readonly TagRequest[]): string[] {
  return [...new Set(requests.flatMap(({ tagNames = [] }) => tagNames.flatMap((name) => nameKeyOf(name) ?? [])))];
}

async function create(
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
