import type { Id } from '../shared/ids.js';
import type { PageWindow, Position } from '../shared/pagination.js';
import type { Tag } from './tag.js';

export const tagSorts = ['name', '-name', 'id', '-id'] as const;
export type TagSort = (typeof tagSorts)[number];

/** Filters of a list of tags, ANDed. */
export interface TagFilters {
  readonly ids?: readonly Id[];
  /** `foldKey` of the whole name. */
  readonly nameKey?: string;
  /** Substring of the name, folded and without accents like `searchText`. */
  readonly q?: string;
  /** Each must occur in the name's `foldKey`: searched characters that are not words, for example `+` or an emoji. */
  readonly signs?: readonly string[];
  readonly unused?: boolean;
}

export interface TagQuery {
  readonly filters: TagFilters;
  readonly sort: TagSort;
  readonly window: PageWindow;
}

export function tagPosition(tag: Tag, sort: TagSort): Position {
  return { value: sort.endsWith('name') ? tag.nameKey : tag.id, id: tag.id };
}
