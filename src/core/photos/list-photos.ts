import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { isTrashed, type PhotoWithTags } from './photo.js';
import { formerFilters, isImmutableSort, type ListSort, type PhotoFilters, photoPosition } from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';
import { requireKnownTags } from './require-known-tags.js';
import type { SimilarFilter, SimilarTo } from './similar-photos.js';

export interface PhotoListRequest extends PageRequest {
  readonly filters: Omit<PhotoFilters, 'similar'>;
  readonly sort: ListSort;
  readonly similarTo?: SimilarTo | undefined;
}

/** One page of the library. Errors: `invalid_cursor`, `invalid_request` (`unknown_tag`), `not_found` (that other photos should be like). */
export function listPhotos(
  { store, secrets, clock }: { store: Readable<'photos' | 'tags'>; secrets: Secrets; clock: Clock },
  { customerId }: Caller,
  { filters: given, sort, similarTo, ...request }: PhotoListRequest,
): Promise<Page<PhotoWithTags>> {
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
      formerFilters: formerFilters(filters),
      position: (photo: PhotoWithTags) => photoPosition(photo, sort, similar),
      rows: (window: PageWindow) => reader.photos.list({ filters, sort, window }),
      hasRowAt: async (at: Position) => isImmutableSort(sort) || (await reader.photos.hasRowAt(filters, sort, at)),
    };
    return readPage({ secrets, clock }, listing, request);
  });
}

/**
 * The filter that finds them; null when the photo has no hash, so that none is like it. Errors: `not_found` (photo; one in the trash too,
 * unless the list includes the trash).
 */
export async function similarFilter(
  photos: PhotoReads,
  { photoId, maxDistance }: SimilarTo,
  { trashed }: PhotoFilters,
): Promise<SimilarFilter | null> {
  const photo = await photos.get(photoId);
  if (photo === null || (isTrashed(photo) && trashed === 'false')) throw notFound('photo');
  return photo.phash === null ? null : { photoId, maxDistance, phash: photo.phash };
}
