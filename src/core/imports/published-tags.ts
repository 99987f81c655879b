import type { Limits } from '../customers/limits.js';
import { isTrashed, type PhotoWithTags } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { findOrCreateTags } from '../tags/create-tags.js';
import { newTag, tagNameError } from '../tags/tag.js';
import type { Import } from './import.js';
import type { ImportPhoto } from './import-photo.js';

/** The tags of an item's photo; those of the import are given. */
export type TagsOfItem = (item: ImportPhoto, ofImport: readonly Id[]) => readonly Id[];

/**
 * Returns which tags the photos of these items get: those of the import and of the item and, with `keywordsAsTags`, those that the keywords of
 * the file name. Missing ones are created. What exceeds the limits of the customer or of a photo is left out, because a photo comes in any case.
 * Call it before anything else is locked.
 */
export async function tagsOfItems(
  transaction: Transaction<'tags' | 'customer' | 'outbox'>,
  limits: Limits,
  { keywordsAsTags }: Import,
  items: readonly ImportPhoto[],
  at: Date,
): Promise<TagsOfItem> {
  const own: TagsOfItem = ({ tagIds }, ofImport) => [...new Set([...ofImport, ...tagIds])];
  const keywords = keywordsAsTags ? items.flatMap(({ facts }) => newTags(facts?.keywords, at)) : [];
  if (keywords.length === 0) return own;
  const wanted = [...new Map(keywords.map((tag) => [tag.nameKey, tag])).values()];
  const { tags } = await findOrCreateTags(transaction, wanted, limits, at);
  return (item, ofImport) => {
    const ids = new Set(own(item, ofImport));
    for (const { nameKey } of newTags(item.facts?.keywords, at)) {
      const tag = tags.get(nameKey);
      if (tag !== undefined && ids.size < limits.tagsPerPhoto) ids.add(tag.id);
    }
    return [...ids];
  };
}

/** Keywords that cannot be names of tags are none; absent ones are of an item that an earlier release inspected. */
function newTags(keywords: readonly string[] = [], at: Date) {
  return keywords.flatMap((name) => (tagNameError(name, 'keywords') === null ? [newTag({ name }, at)] : []));
}

/**
 * The set of tags of a photo that the library had already, with `tagDuplicates`: its own, and those of the import and the item, as far as its limit
 * allows.
 * Null if it keeps its tags. The import must be locked for sharing, and the photo.
 */
export async function tagsOfDuplicate(
  { tags }: Transaction<'tags'>,
  limits: Limits,
  { tagDuplicates, tagIds }: Import,
  item: ImportPhoto,
  photo: PhotoWithTags,
): Promise<readonly Id[] | null> {
  if (!tagDuplicates || isTrashed(photo)) return null;
  const had = photo.tags.map(({ id }) => id);
  const missing = [...new Set([...tagIds, ...item.tagIds])].filter((id) => !had.includes(id));
  if (missing.length === 0) return null;
  const added = (await tags.lock(missing)).map(({ id }) => id).slice(0, Math.max(0, limits.tagsPerPhoto - had.length));
  return added.length === 0 ? null : [...had, ...added];
}
