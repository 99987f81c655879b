import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import {
  everyBatch,
  type Page,
  type PageRequest,
  type PageWindow,
  type Position,
  readPage,
  windowAfter,
} from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { isTrashed, type PhotoWithTags } from './photo.js';
import {
  isImmutableSort,
  type ListSort,
  type PhotoFilters,
  type PhotoSort,
  photoPosition,
  requireKnownTags,
} from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';
import type { SimilarFilter, SimilarTo } from './similar/similar-photo.js';

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
async function similarFilter(
  photos: PhotoReads,
  { photoId, maxDistance }: SimilarTo,
  { trashed }: PhotoFilters,
): Promise<SimilarFilter | null> {
  const photo = await photos.get(photoId);
  if (photo === null || (isTrashed(photo) && trashed === 'false')) throw notFound('photo');
  return photo.phash === null ? null : { photoId, maxDistance, phash: photo.phash };
}

/** The same for a photo of a customer, which may be in the trash. Errors: `not_found`. */
export function readSimilarFilter(
  { store }: { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  to: SimilarTo,
): Promise<SimilarFilter | null> {
  return store.query(customerId, ({ photos }) => similarFilter(photos, to, { trashed: 'any' }));
}

/** Returns how many photos match. Errors: `invalid_request` (`unknown_tag`). */
export function countPhotos(
  { store }: { store: Readable<'photos' | 'tags'> },
  { customerId }: Pick<Caller, 'customerId'>,
  filters: PhotoFilters,
): Promise<number> {
  return store.query(customerId, async ({ photos, tags }) => {
    await requireKnownTags(tags, filters);
    return photos.count(filters);
  });
}

/** A sort that has an opposite, so that the list can be read backwards. */
export type TwoWaySort = Exclude<PhotoSort, 'updatedAt'>;

/** Null at the end of the list. */
export interface Neighbours {
  readonly previous: Id | null;
  readonly next: Id | null;
}

/** The photos next to this one in a list; if the filters exclude it, next to where it would be. */
export function readNeighbours(
  { store }: { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  photo: PhotoWithTags,
  { filters, sort }: { filters: PhotoFilters; sort: TwoWaySort },
): Promise<Neighbours> {
  return store.query(customerId, async ({ photos }) => {
    const [next] = await photos.list({ filters, sort, window: { after: photoPosition(photo, sort), limit: 1 } });
    return { previous: await previousOf(photos, photo, filters, sort), next: next?.id ?? null };
  });
}

/** Reads in the other direction. Photos without the sort's value come last in both directions: there the two lists are not mirror images. */
async function previousOf(
  photos: PhotoReads,
  photo: PhotoWithTags,
  filters: PhotoFilters,
  sort: TwoWaySort,
): Promise<Id | null> {
  const back = (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as TwoWaySort;
  const hasValue = (other: PhotoWithTags) => photoPosition(other, sort).value !== null;
  const window = { after: photoPosition(photo, back), limit: 1 };
  const [before] = await photos.list({ filters, sort: back, window });
  if (before !== undefined && hasValue(before) === hasValue(photo)) return before.id;
  if (hasValue(photo)) return null;
  const [lastValued] = await photos.list({ filters, sort: back, window: { after: null, limit: 1 } });
  return lastValued !== undefined && hasValue(lastValued) ? lastValued.id : null;
}

/** The most photos in one archive: the list of them is in memory while it is sent. */
const MAX_ARCHIVED_PHOTOS = 20_000;
const BATCH = 1000;

export interface StoredOriginal {
  readonly id: Id;
  readonly filename: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** When it came into the library: the time of a file must not change. */
  readonly modifiedAt: Date;
}

/** All originals that match and are intact, by id. Errors: `limit_reached`. */
export async function listOriginals(
  { store }: { store: Readable<'photos'> },
  customerId: Id,
  filters: PhotoFilters,
): Promise<readonly StoredOriginal[]> {
  const all: StoredOriginal[] = [];
  const read = (last: PhotoWithTags | null) => {
    const window = windowAfter(last?.id ?? null, BATCH);
    return store.query(customerId, ({ photos }) => photos.list({ filters, sort: 'id', window }));
  };
  for await (const photos of everyBatch(BATCH, read)) {
    const intact = photos.filter(({ originalLostAt }) => originalLostAt === null);
    for (const { id, filename, sha256, sizeBytes, createdAt } of intact) {
      all.push({ id, filename, sha256, sizeBytes, modifiedAt: createdAt });
    }
    if (all.length > MAX_ARCHIVED_PHOTOS) {
      const message = `More than ${MAX_ARCHIVED_PHOTOS} photos are too many for one file. Download them in parts.`;
      throw new DomainError('limit_reached', message, { limit: MAX_ARCHIVED_PHOTOS, name: 'archivedPhotos' });
    }
  }
  return all;
}
