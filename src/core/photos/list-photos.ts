import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import type { JsonShape } from '../shared/json-shape.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { PhotoWithTags } from './photo.js';
import {
  isImmutableSort,
  type ListSort,
  type PhotoFilters,
  type PhotoQuery,
  photoPosition,
  positionInJson,
} from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';
import { requireKnownTags } from './require-known-tags.js';
import { type SimilarFilter, type SimilarTo, similarFilter } from './similar-photos.js';

export interface PhotoListRequest extends PageRequest {
  readonly filters: Omit<PhotoFilters, 'similar'>;
  readonly sort: ListSort;
  readonly similarTo?: SimilarTo | undefined;
}

type ListUses = { store: Readable<'photos' | 'tags'>; secrets: Secrets; clock: Clock };

/** One page of the library. Errors: `invalid_cursor`, `invalid_request` (`unknown_tag`), `not_found` (that other photos should be like). */
export function listPhotos(uses: ListUses, caller: Caller, request: PhotoListRequest): Promise<Page<PhotoWithTags>> {
  return pageOf<PhotoWithTags>(uses, caller, request, {
    position: photoPosition,
    rows: (photos, query) => photos.list(query),
  });
}

/**
 * The same page as JSON, for a list that is sent as it is: making objects of rows and JSON of objects took half of its time. The shape has
 * the fields that photos are sorted by.
 */
export function listPhotosAsJson(
  uses: ListUses,
  caller: Caller,
  request: PhotoListRequest,
  shape: JsonShape,
): Promise<Page<string>> {
  return pageOf(uses, caller, request, {
    position: positionInJson,
    rows: (photos, query) => photos.listAsJson(query, shape),
  });
}

interface Form<T> {
  position(photo: T, sort: ListSort, similar?: SimilarFilter): Position;
  rows(photos: PhotoReads, query: PhotoQuery): Promise<readonly T[]>;
}

function pageOf<T>(
  { store, secrets, clock }: ListUses,
  { customerId }: Caller,
  { filters: given, sort, similarTo, ...request }: PhotoListRequest,
  { position, rows }: Form<T>,
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
