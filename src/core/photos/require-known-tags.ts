import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { PhotoFilters } from './photo-query.js';

/** The tags that filters name exist. Errors: `invalid_request` (`unknown_tag`). */
export async function requireKnownTags(tags: TagReads, filters: PhotoFilters): Promise<void> {
  const named = (['tagIds', 'anyTagIds', 'excludeTagIds'] as const).filter((field) => filters[field] !== undefined);
  if (named.length === 0) return;
  const known = new Set((await tags.getMany(named.flatMap((field) => filters[field] ?? []))).map((tag) => tag.id));
  const unknown = (ids: readonly Id[]) => ids.filter((id) => !known.has(id));
  const errors = named.flatMap((field) =>
    unknown(filters[field] ?? []).map((id) => ({
      field,
      code: 'unknown_tag' as const,
      message: `${field} contains ${id}, which is not the id of a tag.`,
    })),
  );
  if (errors.length > 0) throw invalid(...errors);
}
