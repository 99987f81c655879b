import type { Limits } from '../customers/limits.js';
import { isTrashed, type PhotoWithTags } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transaction, Transactional } from '../shared/transactional.js';
import { findOrCreateTags } from '../tags/create-tags.js';
import { nameKeyOf, newTag, tagNameError } from '../tags/tag.js';
import type { Import } from './import.js';
import type { ImportPhoto } from './import-photo.js';

/** Tags that are created in one transaction: others of the customer who create tags wait for it. */
const TAGS_AT_ONCE = 100;

/**
 * Creates the tags that `keywordsAsTags` needs for these items, as far as the limits of the customer and of a photo allow: what they have no room
 * for is left out, because a photo comes in any case. Not part of the transaction that publishes them, which would lock the customer.
 */
export async function createKeywordTags(
  { store, limits }: { store: Transactional<'photos' | 'tags' | 'customer' | 'outbox'>; limits: Limits },
  subject: Import,
  items: readonly ImportPhoto[],
  at: Date,
): Promise<void> {
  if (!subject.keywordsAsTags) return;
  const hashes = items.flatMap(({ sha256 }) => sha256 ?? []);
  const mayBeSecond = subject.duplicatePolicy === 'allow';
  const same = mayBeSecond ? [] : await store.query(subject.customerId, ({ photos }) => photos.findBySha256(hashes));
  const known = new Set(same.map(({ sha256 }) => sha256));
  const tags = items
    .filter(({ sha256 }) => !known.has(sha256 ?? ''))
    .flatMap((item) => {
      const room = limits.tagsPerPhoto - ownTags(subject, item).length;
      return keywordsOf(item).slice(0, Math.max(0, room));
    });
  const wanted = [...new Map(tags.map((name) => newTag({ name }, at)).map((tag) => [tag.nameKey, tag])).values()];
  for (let from = 0; from < wanted.length; from += TAGS_AT_ONCE) {
    const some = wanted.slice(from, from + TAGS_AT_ONCE);
    await store.transaction(subject.customerId, (transaction) => findOrCreateTags(transaction, some, limits, at));
  }
}

/**
 * Returns which tags the photos of these items get: those of the import and of the item and, with `keywordsAsTags`, those that the keywords of the
 * file name, as far as the limit of a photo allows. The import must be locked for sharing, so that no tag is merged meanwhile.
 */
export async function tagsOfItems(
  { tags }: Reader<'tags'>,
  limits: Limits,
  subject: Import,
  items: readonly ImportPhoto[],
): Promise<(item: ImportPhoto) => readonly Id[]> {
  const names = subject.keywordsAsTags ? items.flatMap(keywordsOf) : [];
  const keys = [...new Set(names.flatMap((name) => nameKeyOf(name) ?? []))];
  const found = keys.length === 0 ? [] : await tags.findByNameKeys(keys);
  const idOf = new Map(found.map(({ nameKey, id }) => [nameKey, id]));
  return (item) => {
    const own = ownTags(subject, item);
    const named = keywordsOf(item).flatMap((name) => idOf.get(nameKeyOf(name) ?? '') ?? []);
    const added = [...new Set(named)].filter((id) => !own.includes(id));
    return [...own, ...added.slice(0, Math.max(0, limits.tagsPerPhoto - own.length))];
  };
}

function ownTags({ tagIds }: Import, item: ImportPhoto): readonly Id[] {
  return [...new Set([...tagIds, ...item.tagIds])];
}

/** The keywords that can be names of tags. There are none of an item that an earlier release inspected. */
function keywordsOf({ facts }: ImportPhoto): readonly string[] {
  return (facts?.keywords ?? []).filter((name) => tagNameError(name, 'keywords') === null);
}

/**
 * The set of tags of a photo that the library had already, with `tagDuplicates`: its own, and those of the import and the item, as far as its limit
 * allows. Null if it keeps its tags. The import must be locked for sharing, and the photo.
 */
export async function tagsOfDuplicate(
  { tags }: Transaction<'tags'>,
  limits: Limits,
  subject: Import,
  item: ImportPhoto,
  photo: PhotoWithTags,
): Promise<readonly Id[] | null> {
  if (!subject.tagDuplicates || isTrashed(photo)) return null;
  const had = photo.tags.map(({ id }) => id);
  const missing = ownTags(subject, item).filter((id) => !had.includes(id));
  if (missing.length === 0) return null;
  const added = (await tags.lock(missing)).map(({ id }) => id).slice(0, Math.max(0, limits.tagsPerPhoto - had.length));
  return added.length === 0 ? null : [...had, ...added];
}
