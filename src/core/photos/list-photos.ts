import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { PhotoWithTags } from './photo.js';
import { isImmutableSort, type PhotoFilters, type PhotoSort, photoPosition } from './photo-query.js';

export interface PhotoListRequest extends PageRequest {
  readonly filters: PhotoFilters;
  readonly sort: PhotoSort;
}

/** One page of the library. Errors: `invalid_cursor`, `invalid_request` (`unknown_tag`). */
export function listPhotos(
  { store, secrets, clock }: { store: Readable<'photos' | 'tags'>; secrets: Secrets; clock: Clock },
  { customerId }: Caller,
  { filters, sort, ...request }: PhotoListRequest,
): Promise<Page<PhotoWithTags>> {
  return store.query(customerId, async (reader) => {
    await requireKnownTags(reader.tags, filters);
    const listing = {
      customerId,
      list: 'photos',
      sort,
      filters,
      position: (photo: PhotoWithTags) => photoPosition(photo, sort),
      rows: (window: PageWindow) => reader.photos.list({ filters, sort, window }),
      hasRowAt: async (position: Position) =>
        isImmutableSort(sort) || (await reader.photos.hasRowAt(filters, sort, position)),
    };
    return readPage({ secrets, clock }, listing, request);
  });
}

async function requireKnownTags(tags: TagReads, filters: PhotoFilters): Promise<void> {
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
