import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { isImmutableSort, type ListSort, type PhotoFilters, type PhotoQuery } from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';
import { requireKnownTags } from './require-known-tags.js';
import { type SimilarFilter, type SimilarTo, similarFilter } from './similar-photos.js';

export interface PhotoListRequest extends PageRequest {
  readonly filters: Omit<PhotoFilters, 'similar'>;
  readonly sort: ListSort;
  readonly similarTo?: SimilarTo | undefined;
}

export type PhotoListUses = { store: Readable<'photos' | 'tags'>; secrets: Secrets; clock: Clock };

/** In what form a page's photos come: how they are read, and where each stands in the list. */
export interface PageForm<T> {
  position(photo: T, sort: ListSort, similar?: SimilarFilter): Position;
  rows(photos: PhotoReads, query: PhotoQuery): Promise<readonly T[]>;
}

/** Errors: `invalid_cursor`, `invalid_request` (`unknown_tag`), `not_found` (that other photos should be like). */
export function photoPage<T>(
  { store, secrets, clock }: PhotoListUses,
  { customerId }: Caller,
  { filters: given, sort, similarTo, ...request }: PhotoListRequest,
  { position, rows }: PageForm<T>,
): Promise<Page<T>> {
  return store.query(customerId, async (reader) => {
    await requireKnownTags(reader.tags, given);
    const similar = similarTo && (await similarFilter(reader.photos, similarTo, given));
    if (similar === null) return { data: [], nextCursor: null };
    const filters = { ...given, ...(similar && { similar }) };
    const listing = {
      customerId,
      list: 'photos',
      sort,
      filters,
      position: (photo: T) => position(photo, sort, similar),
      rows: (window: PageWindow) => rows(reader.photos, { filters, sort, window }),
      hasRowAt: async (at: Position) => isImmutableSort(sort) || (await reader.photos.hasRowAt(filters, sort, at)),
    };
    return readPage({ secrets, clock }, listing, request);
  });
}
