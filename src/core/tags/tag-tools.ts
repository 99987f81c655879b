import type { FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** The bulk tools of one tag. An id named twice counts once. If absent, not used. */
export interface TagTools {
  /** Photos that get the tag. */
  readonly addPhotoIds?: readonly Id[] | undefined;
  /** Photos that lose it, even if a merge would add it. */
  readonly removePhotoIds?: readonly Id[] | undefined;
  /** Tags whose photos, including the trash and unpublished items, move to this one; they are deleted. */
  readonly mergeTagIds?: readonly Id[] | undefined;
}

/** The result of the tools. Counts are of photos outside the trash, each counted once: those in the trash are moved too, but not counted. */
export interface TagChanges {
  readonly added: number;
  readonly removed: number;
  /** Had the tag already, or not at all. */
  readonly unchanged: number;
  /** Named photos that do not exist or are in the trash, ascending. */
  readonly notFound: readonly Id[];
  /** Photos that have the maximum number of tags, and so did not get this one, ascending. */
  readonly full: readonly Id[];
  /** Ascending. */
  readonly mergedTagIds: readonly Id[];
}

export function usesTools({ addPhotoIds, removePhotoIds, mergeTagIds }: TagTools): boolean {
  return [addPhotoIds, removePhotoIds, mergeTagIds].some((ids) => ids !== undefined);
}

export function toolErrors(
  id: Id,
  { addPhotoIds = [], removePhotoIds = [], mergeTagIds = [] }: TagTools,
): FieldError[] {
  const errors: FieldError[] = [];
  const removed = new Set(removePhotoIds);
  const both = addPhotoIds.find((photoId) => removed.has(photoId));
  if (both !== undefined) {
    const message = `Photo ${both} cannot be in both addPhotoIds and removePhotoIds.`;
    errors.push({ field: 'removePhotoIds', code: 'conflict', message });
  }
  if (mergeTagIds.includes(id)) {
    errors.push({ field: 'mergeTagIds', code: 'conflict', message: 'A tag cannot be merged into itself.' });
  }
  return errors;
}
