import { type FieldError, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { PageWindow, Position } from '../shared/pagination.js';
import { foldKey, searchWords } from '../shared/text.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { PhotoWithTags } from './photo.js';
import { hashDistance, type SimilarFilter } from './similar/similar-photo.js';

/** The sorts of a list of photos; `-` is descending. Nulls last in both directions, ties by id in the direction of the sort. */
export const photoSorts = [
  '-createdAt',
  'createdAt',
  'id',
  '-id',
  'takenAt',
  '-takenAt',
  'filename',
  '-filename',
  'sizeBytes',
  '-sizeBytes',
  'updatedAt',
] as const;
export type PhotoSort = (typeof photoSorts)[number];

/** The sort of photos that are like another, when the client names none: nearest first. Only with the filter `similar`. */
export const NEAREST_FIRST = 'distance';
export type ListSort = PhotoSort | typeof NEAREST_FIRST;

/** Sorts by values that never change: such an order does not shift, whatever happens to its rows. */
export function isImmutableSort(sort: ListSort): boolean {
  return ['createdAt', 'id', 'sizeBytes', NEAREST_FIRST].includes(sort.replace('-', ''));
}

/** Filters of a list of photos, ANDed. If absent, not filtered. */
export interface PhotoFilters {
  readonly ids?: readonly Id[];
  /** Folded words (`searchWords`); the file name, a searched field, the place or the name of a tag must have each (`hasWord`). */
  readonly words?: readonly string[];
  /** `foldKey` of the whole name. */
  readonly filenameKey?: string;
  readonly tagIds?: readonly Id[];
  readonly anyTagIds?: readonly Id[];
  readonly excludeTagIds?: readonly Id[];
  readonly untagged?: boolean;
  readonly importId?: Id;
  readonly externalId?: string;
  readonly sha256?: readonly string[];
  /** Exact types, or `image/*`. */
  readonly contentType?: readonly string[];
  readonly takenAfter?: Date;
  readonly takenBefore?: Date;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly hasLocation?: boolean;
  /** minLon, minLat, maxLon, maxLat; minLon > maxLon crosses 180°. */
  readonly bbox?: readonly [number, number, number, number];
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** The same of the place's names. */
  readonly placeWords?: readonly string[];
  /** The same of the lens's name. */
  readonly lensWords?: readonly string[];
  readonly minIso?: number;
  readonly maxIso?: number;
  /** Millimetres. */
  readonly minFocalLength35mm?: number;
  readonly maxFocalLength35mm?: number;
  /** Folded substring of make and model. */
  readonly camera?: string;
  /** The same of the creator. */
  readonly creator?: string;
  readonly favorite?: boolean;
  readonly minRating?: number;
  readonly aspect?: 'landscape' | 'portrait' | 'square';
  readonly similar?: SimilarFilter;
  readonly trashed: 'false' | 'true' | 'any';
}

/** Maximum number of words in one search; each requires a lookup in the customer's tags. */
export const MAX_SEARCH_WORDS = 10;

/** The distinct words of `q`. A word that is a prefix of another is implied by it. Null when there are too many. */
export function searchTerms(q: string): readonly string[] | null {
  const words = [...new Set(searchWords(q))];
  // In their order, a word stands right before those that begin with it.
  const sorted = [...words].sort();
  const beginnings = new Set(sorted.filter((word, at) => sorted[at + 1]?.startsWith(word)));
  const telling = words.filter((word) => !beginnings.has(word));
  return telling.length > MAX_SEARCH_WORDS ? null : telling;
}

export interface PhotoQuery {
  readonly filters: PhotoFilters;
  readonly sort: ListSort;
  readonly window: PageWindow;
}

export type SortedFields = Pick<
  PhotoWithTags,
  'id' | 'takenAt' | 'filename' | 'sizeBytes' | 'updatedAt' | 'createdAt' | 'phash'
>;

/**
 * The sort value of a photo: the same here, in every adapter and in cursors. Instants are milliseconds since 1970, file names their
 * `foldKey`.
 * @param similar That of the list, if it has one.
 */
export function photoPosition(photo: SortedFields, sort: ListSort, similar?: SimilarFilter): Position {
  switch (sort.replace('-', '')) {
    case NEAREST_FIRST:
      return { value: similar && photo.phash ? hashDistance(similar.phash, photo.phash) : null, id: photo.id };
    case 'id':
      return { value: photo.id, id: photo.id };
    case 'takenAt':
      return { value: photo.takenAt?.getTime() ?? null, id: photo.id };
    case 'filename':
      return { value: foldKey(photo.filename), id: photo.id };
    case 'sizeBytes':
      return { value: photo.sizeBytes, id: photo.id };
    case 'updatedAt':
      return { value: photo.updatedAt.getTime(), id: photo.id };
    default:
      return { value: photo.createdAt.getTime(), id: photo.id };
  }
}

/** The tags that filters name exist. Errors: `invalid_request` (`unknown_tag`). */
export async function requireKnownTags(tags: TagReads, filters: PhotoFilters): Promise<void> {
  const named = (['tagIds', 'anyTagIds', 'excludeTagIds'] as const).filter((field) => filters[field] !== undefined);
  if (named.length === 0) return;
  const known = new Set((await tags.getMany(named.flatMap((field) => filters[field] ?? []))).map((tag) => tag.id));
  const unknown = (ids: readonly Id[]) => ids.filter((id) => !known.has(id));
  const errors = named.flatMap((field) =>
    unknown(filters[field] ?? []).map((id): FieldError => {
      return { field, code: 'unknown_tag', message: `${field} contains ${id}, which is not the id of a tag.` };
    }),
  );
  requireValid(errors);
}
