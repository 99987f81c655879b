import type { Page } from '../../../core/shared/page.js';
import type { Tag, TagName } from '../../../core/tags/tag.js';
import { instant } from '../wire.js';

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

/** A tag as it stands inside other resources. */
export function tagNameView({ id, name }: TagName) {
  return { id, name };
}

/** The tags of a photo: always one whole page. */
export function tagsView(tags: readonly Tag[]) {
  return pageView({ data: tags, nextCursor: null }, tagView);
}

/** The envelope of every list. */
export function pageView<T, View>({ data, nextCursor }: Page<T>, view: (item: T) => View) {
  return { data: data.map(view), pagination: { nextCursor, hasMore: nextCursor !== null } };
}
