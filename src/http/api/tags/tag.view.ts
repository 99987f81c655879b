import type { Page } from '../../../core/shared/pagination.js';
import type { TagCreationResult } from '../../../core/tags/create-tags.js';
import type { EditedTag } from '../../../core/tags/edit-tag.js';
import type { Tag, TagName } from '../../../core/tags/tag.js';
import type { TagChanges } from '../../../core/tags/tag-tools.js';
import { instant } from '../../responses/wire.js';

/** API.md §5.2. */
export function tagView(tag: Tag) {
  return {
    id: tag.id,
    name: tag.name,
    color: tag.color,
    description: tag.description,
    photoCount: tag.photoCount,
    createdAt: instant(tag.createdAt),
    updatedAt: instant(tag.updatedAt),
    version: tag.version,
  };
}

/** With the result of the bulk tools, if one was used (API.md §7, 18). */
export function editedTagView({ changes, ...tag }: EditedTag) {
  return { ...tagView(tag), ...(changes && { changes: changesView(changes) }) };
}

function changesView({ added, removed, unchanged, notFound, full, mergedTagIds }: TagChanges) {
  return { added, removed, unchanged, notFound: [...notFound], full: [...full], mergedTagIds: [...mergedTagIds] };
}

/** API.md §7, 17. */
export function tagCreationView(result: TagCreationResult) {
  const { index, outcome } = result;
  if (outcome !== 'rejected') return { index, outcome, tag: tagView(result.tag), error: null };
  return { index, outcome, tag: null, error: { code: result.error.code, message: result.error.message } };
}

/** A tag as part of other resources. */
export function tagNameView({ id, name }: TagName) {
  return { id, name };
}

/** The tags of a photo: always a single page. */
export function tagsView(tags: readonly Tag[]) {
  return listView({ data: tags, nextCursor: null }, tagView);
}

/** The envelope of every list. */
export function listView<T, View>({ data, nextCursor }: Page<T>, view: (item: T) => View) {
  return { data: data.map(view), pagination: { nextCursor, hasMore: nextCursor !== null } };
}
