import { searchText } from '../../../core/shared/text.js';
import type { Tag } from '../../../core/tags/tag.js';
import { generatedKey, instant, key, optionalText, tableOf, text, whole } from '../database/columns.js';

/** The number of its photos is stored beside it. */
export interface TagRow extends Omit<Tag, 'photoCount'> {
  /** Searched by `q`. */
  readonly searchKey: string;
}

export const tagTable = tableOf<TagRow>('tag', 'tags', {
  customerId: key,
  id: generatedKey,
  name: text,
  nameKey: text,
  searchKey: { type: 'text', select: false },
  color: optionalText,
  description: optionalText,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});

export function searchKeyOf(tag: Pick<Tag, 'name'>): string {
  return searchText(tag.name);
}
