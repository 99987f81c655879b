import type { Limits } from '../customers/limits.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { exceedsOneTransaction } from './bump-photo-versions.js';
import type { Tag } from './tag.js';
import type { MergedPhotos } from './tag-repository.js';
import type { TagChanges, TagTools } from './tag-tools.js';
import { unknownTags } from './tag-values.js';
import type { PhotoTags } from './tagged-repository.js';

/**
 * Locks everything that the tools affect, before any tag is locked. Returns the photos that are named. A merge also affects unpublished
 * items: then the customer is locked too, so that no import with one of the tags is opened in the meantime.
 */
export async function lockTaggedPhotos(
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

/** Errors: `invalid_request` (`unknown_tag`) when a tag to be merged is not among the locked ones. */
export function requireMergedTags({ mergeTagIds = [] }: TagTools, locked: readonly Tag[]): readonly Id[] {
  const ids = [...new Set(mergeTagIds)].sort((a, b) => a - b);
  const unknown = ids.filter((id) => !locked.some((tag) => tag.id === id));
  if (unknown.length > 0) throw invalid(...unknownTags('mergeTagIds', unknown));
  return ids;
}

/**
 * Applies the tools to a tag. The tag, the merged tags and what `lockTaggedPhotos` locks must be locked. A photo that is both named and
 * moved gets one new version, not two: it is left to the merge.
 */
export async function retagPhotos(
  transaction: Transaction<'tags' | 'taggedPhotos' | 'unpublishedTags' | 'jobs'>,
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
  await tags.detach([id, ...mergeTagIds], leaving, at);
  await tags.attach(id, gaining, at);
  const moved = mergeTagIds.length > 0 ? await mergeTags(transaction, mergeTagIds, id, at) : { added: 0, unchanged: 0 };
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

/** If there are many photos, they get their new versions after the response (`bumpPhotoVersions`). */
async function mergeTags(
  transaction: Transaction<'tags' | 'taggedPhotos' | 'unpublishedTags' | 'jobs'>,
  from: readonly Id[],
  into: Id,
  at: Date,
): Promise<MergedPhotos> {
  await transaction.unpublishedTags.replaceTags(from, into);
  const many = await exceedsOneTransaction(transaction, from);
  const merged = await transaction.tags.merge(from, into, many ? null : at);
  if (many) await transaction.jobs.add({ kind: 'renew' });
  return merged;
}
