import { type Caller, demandScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { DomainError, type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { foldKey } from '../shared/text.js';
import { parseTagName } from './tag.js';
import type { TagRepository } from './tag-repository.js';

/** Tags as requests name them: by id, by name, or both. */
export interface TagRequest {
  readonly tagIds?: readonly Id[] | undefined;
  /** Names that do not exist yet are created, which needs the scope `tags:write`. */
  readonly tagNames?: readonly string[] | undefined;
}

/**
 * The ids of all tags that a request names, each once, ascending. They are held until the transaction ends. With those
 * that the photo gets `beside` them they must not be more than a photo may have.
 * Errors: `invalid_request` (`unknown_tag`, `too_many`), `scope_required`, `limit_reached`.
 */
export async function resolveTags(
  tags: TagRepository,
  caller: Pick<Caller, 'scopes'>,
  request: TagRequest,
  { limits, at, prefix = '', beside = [] }: { limits: Limits; at: Date; prefix?: string; beside?: readonly Id[] },
): Promise<readonly Id[]> {
  const asked = [...new Set(request.tagIds ?? [])];
  const held = new Set((await tags.lock(asked)).map((tag) => tag.id));
  const unknown = asked
    .filter((id) => !held.has(id))
    .map((id): FieldError => {
      return { field: `${prefix}tagIds`, code: 'unknown_tag', message: `Tag ${id} does not exist.` };
    });
  if (unknown.length > 0) throw invalid(...unknown);
  const names = new Map<string, string>();
  for (const name of request.tagNames ?? []) {
    const clean = parseTagName(name, `${prefix}tagNames`);
    if (!names.has(foldKey(clean))) names.set(foldKey(clean), clean);
  }
  const existing = await tags.findByNameKeys([...names.keys()]);
  const missing = new Map([...names].filter(([key]) => !existing.some((tag) => tag.nameKey === key)));
  if (missing.size > 0) demandScope(caller, 'tags:write');
  const ids = new Set([...held, ...existing.map((tag) => tag.id), ...(await create(tags, missing, limits, at))]);
  if (new Set([...ids, ...beside]).size > limits.tagsPerPhoto) {
    const message = `A photo has at most ${limits.tagsPerPhoto} tags.`;
    throw invalid({ field: `${prefix}tagIds`, code: 'too_many', message, max: limits.tagsPerPhoto });
  }
  return [...ids].sort((a, b) => a - b);
}

async function create(
  tags: TagRepository,
  names: ReadonlyMap<string, string>,
  limits: Limits,
  at: Date,
): Promise<Id[]> {
  if (names.size === 0) return [];
  await demandRoomForTags(tags, names.size, limits);
  const ids: Id[] = [];
  for (const [nameKey, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const created = await tags.insert({ name, nameKey, color: null, description: null, createdAt: at });
    // Another request was first: its tag is the one that was meant.
    const tag = created ?? (await tags.findByNameKeys([nameKey]))[0];
    if (tag !== undefined) ids.push(tag.id);
  }
  return ids;
}

/** Errors: `limit_reached`. */
export async function demandRoomForTags(tags: TagRepository, more: number, limits: Limits): Promise<void> {
  if ((await tags.count()) + more <= limits.tags) return;
  throw new DomainError('limit_reached', `A customer has at most ${limits.tags} tags. Delete or merge some first.`, {
    limit: limits.tags,
    name: 'tags',
  });
}
