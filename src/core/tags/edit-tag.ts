import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { announcePhotos } from '../events/event.js';
import type { Clock } from '../shared/clock.js';
import { notFound, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import {
  type Precondition,
  type Readable,
  type Transaction,
  type Transactional,
  unconditional,
} from '../shared/transactional.js';
import { exceedsOneTransaction } from './delete-tag.js';
import {
  nameTaken,
  parseTagName,
  patchedTag,
  type Tag,
  type TagChanges,
  type TagPatch,
  type TagTools,
  tagPatchErrors,
  unknownTags,
} from './tag.js';
import type { MergedPhotos, PhotoTags } from './tag-repository.js';

export interface EditedTag extends Tag {
  /** Absent when no bulk tool was used. */
  readonly changes?: TagChanges;
}

type EditUses = {
  store: Transactional<'tags' | 'taggedPhotos' | 'unpublishedTags' | 'customer' | 'jobs' | 'outbox'>;
  clock: Clock;
  limits: Limits;
};

/**
 * Edits a tag and applies its bulk tools, all or nothing. The tag's own version changes with its values, not with its photos. A
 * merge changes photos, so a key needs `photos:write` as well, and a person the role of an editor; the merged tags are deleted, their names are free
 * again, and a photo that had several of them has the remaining one once. Errors: `scope_required`, `invalid_request`, `not_found`, `tag_name_taken`, `precondition_failed`.
 */
export async function editTag(
  { store, clock, limits }: EditUses,
  caller: Caller,
  id: Id,
  patch: TagPatch,
  check: Precondition<Tag> = unconditional,
): Promise<EditedTag> {
  const withTools = [patch.addPhotoIds, patch.removePhotoIds, patch.mergeTagIds].some((ids) => ids !== undefined);
  if (withTools) requireScope(caller, 'photos:write');
  requireValid(tagPatchErrors(id, patch));
  const name = patch.name === undefined ? undefined : parseTagName(patch.name, 'name');
  return store.transaction(caller.customerId, async (transaction) => {
    const photos = withTools ? await lockTaggedPhotos(transaction, patch) : [];
    const locked = await transaction.tags.lock([...new Set([id, ...(patch.mergeTagIds ?? [])])]);
    const found = locked.find((one) => one.id === id);
    const tag = requireFound(found, 'tag');
    const mergeTagIds = [...new Set(patch.mergeTagIds)].sort((a, b) => a - b);
    const unknown = mergeTagIds.filter((mergedId) => !locked.some((one) => one.id === mergedId));
    requireValid(unknownTags('mergeTagIds', unknown));
    check(tag);
    const at = clock.now();
    const next = patchedTag(tag, patch, name ?? tag.name);
    if (!withTools) return saveTag(transaction, tag, next, at);
    const changes = await retagPhotos(transaction, tag, { ...patch, mergeTagIds }, { photos, limits, at });
    await transaction.outbox.add('tag.deleted', mergeTagIds, at);
    // After the merge, which may have released the name.
    await saveTag(transaction, tag, next, at);
    return { ...requireFound(await transaction.tags.get(id), 'tag'), changes };
  });
}

/** Counting more would delay the page. */
export const MAX_COUNTED_PHOTOS = 100_000;

/**
 * The tags that a merge would affect, by id ascending, and how many photos have at least one of them, each counted once, including the trash;
 * at most `MAX_COUNTED_PHOTOS`. Changes nothing. Errors: `not_found` when one of the tags does not exist.
 */
export function previewMerge(
  { store }: { store: Readable<'tags' | 'taggedPhotos'> },
  caller: Caller,
  ids: readonly Id[],
): Promise<{ readonly tags: readonly Tag[]; readonly photos: number }> {
  return store.query(caller.customerId, async ({ tags, taggedPhotos }) => {
    const named = await tags.getMany(ids);
    if (ids.some((id) => !named.some((tag) => tag.id === id))) throw notFound('tag');
    return { tags: named, photos: await taggedPhotos.countTagged(ids, MAX_COUNTED_PHOTOS) };
  });
}

async function saveTag(transaction: Transaction<'tags' | 'outbox'>, tag: Tag, next: Tag, at: Date): Promise<Tag> {
  const same = next.name === tag.name && next.color === tag.color && next.description === tag.description;
  if (same) return tag;
  const edited = { ...next, updatedAt: at, version: tag.version + 1 };
  if (await transaction.tags.update(edited)) {
    await transaction.outbox.add('tag.updated', [tag.id], at);
    return edited;
  }
  throw nameTaken((await transaction.tags.findByNameKeys([edited.nameKey]))[0]);
}

/**
 * Locks everything that the tools affect, before any tag is locked. Returns the photos that are named. A merge also affects unpublished
 * items: then the customer is locked too, so that no import with one of the tags is opened in the meantime.
 */
async function lockTaggedPhotos(
  transaction: Transaction<'taggedPhotos' | 'unpublishedTags' | 'customer'>,
  tools: TagTools,
): Promise<readonly PhotoTags[]> {
  const named = [...new Set([...(tools.addPhotoIds ?? []), ...(tools.removePhotoIds ?? [])])];
  const merged = tools.mergeTagIds ?? [];
  if (merged.length === 0) return transaction.taggedPhotos.lock(named);
  await transaction.customer.lock();
  await transaction.unpublishedTags.lockUnpublished(merged);
  return transaction.taggedPhotos.lockTagged(merged, named);
}

/**
 * Applies the tools to a tag. The tag, the merged tags and what `lockTaggedPhotos` locks must be locked. A photo that is both named and
 * moved gets one new version, not two: it is left to the merge.
 */
async function retagPhotos(
  transaction: Transaction<'tags' | 'taggedPhotos' | 'unpublishedTags' | 'jobs' | 'outbox'>,
  { id }: Pick<Tag, 'id'>,
  tools: TagTools & { readonly mergeTagIds: readonly Id[] },
  { photos, limits, at }: { photos: readonly PhotoTags[]; limits: Limits; at: Date },
): Promise<TagChanges> {
  const { tags } = transaction;
  const { mergeTagIds } = tools;
  const visible = new Map(photos.flatMap((photo) => (photo.trashedAt !== null ? [] : [[photo.id, photo] as const])));
  const has = (photo: PhotoTags, ...tagIds: readonly Id[]) => photo.tags.some((tag) => tagIds.includes(tag.id));
  const named = (ids: readonly Id[] = []) => [...new Set(ids)].sort((a, b) => a - b);
  const existing = (ids?: readonly Id[]) => named(ids).flatMap((photoId) => visible.get(photoId) ?? []);
  const losing = existing(tools.removePhotoIds);
  const wanting = existing(tools.addPhotoIds).filter((photo) => !has(photo, ...mergeTagIds));
  const without = wanting.filter((photo) => !has(photo, id));
  const full = without.filter((photo) => photo.tags.length >= limits.tagsPerPhoto).map((photo) => photo.id);
  const gaining = without.map((photo) => photo.id).filter((photoId) => !full.includes(photoId));
  const leaving = losing.map((photo) => photo.id);
  const changed = [...(await tags.detach([id, ...mergeTagIds], leaving, at)), ...(await tags.attach(id, gaining, at))];
  let moved: MergedPhotos = { changed: [], added: 0, unchanged: 0 };
  if (mergeTagIds.length > 0) {
    await transaction.unpublishedTags.replaceTags(mergeTagIds, id);
    // If there are many photos, they get their new versions after the response (`bumpPhotoVersions`).
    const many = await exceedsOneTransaction(transaction, mergeTagIds);
    moved = await tags.merge(mergeTagIds, id, many ? null : at);
    if (many) await transaction.jobs.add({ kind: 'renew' });
  }
  await announcePhotos(transaction, 'updated', [...changed, ...moved.changed], at);
  const removed = losing.filter((photo) => has(photo, id)).length;
  return {
    added: gaining.length + moved.added,
    removed,
    unchanged: wanting.length - without.length + losing.length - removed + moved.unchanged,
    notFound: named([...(tools.addPhotoIds ?? []), ...(tools.removePhotoIds ?? [])]).filter((one) => !visible.has(one)),
    full,
    mergedTagIds: mergeTagIds,
  };
}
