import { searchedValues } from '../../../src/core/media/photo-fields.js';
import type { CountedValue, PhotoKind, ValuesRequest } from '../../../src/core/photos/filter-values.js';
import { isTrashed, type PhotoWithTags } from '../../../src/core/photos/photo.js';
import type { PhotoFilters } from '../../../src/core/photos/photo-query.js';
import { placeNames } from '../../../src/core/photos/places.js';
import { hashDistance, type SimilarFilter } from '../../../src/core/photos/similar/similar-photo.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { foldKey, hasWord, searchText, searchWords } from '../../../src/core/shared/text.js';

/** Whether a photo is in the list that these filters describe. */
export function matches(photo: PhotoWithTags, filters: PhotoFilters): boolean {
  return (
    matchesOwn(photo, filters) &&
    matchesTimes(photo, filters) &&
    matchesTags(photo, filters) &&
    matchesPlace(photo, filters) &&
    matchesWords(photo, filters)
  );
}

type Photos = readonly PhotoWithTags[];

export function kindsOf(photos: Photos, request: ValuesRequest): readonly PhotoKind[] {
  const kinds = counted(photos, request, (photo) => {
    const { rating, location, tags, favorite, contentType } = photo;
    const [located, tagged] = [location !== null, tags.length > 0];
    return JSON.stringify({ rating, aspect: aspectOf(photo), located, tagged, favorite, contentType });
  });
  return kinds.map(({ value, photos: number }) => ({ ...JSON.parse(value), photos: number }));
}

export function camerasOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  const name = ({ camera }: PhotoWithTags) => [camera?.make, camera?.model].filter(Boolean).join(' ');
  return counted(photos, request, (photo) => cameraKey(photo) || null).map(({ value: key, photos: number }) => {
    const first = photos.find((photo) => cameraKey(photo) === key);
    return { value: first ? name(first) : '', photos: number };
  });
}

export function lensesOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  return counted(photos, request, ({ camera }) => camera?.lens || null);
}

export function countriesOf(photos: Photos, request: ValuesRequest): readonly CountedValue[] {
  return counted(photos, request, ({ place }) => place?.country ?? null);
}

/** Photos by a value, except those without one. */
function counted(
  photos: Photos,
  request: ValuesRequest,
  read: (photo: PhotoWithTags) => string | null,
): CountedValue[] {
  const counts = new Map<string, number>();
  for (const photo of photos.filter((each) => isTrashed(each) === request.trashed)) {
    const value = read(photo);
    if (value !== null) counts.set(value, Math.min(request.counted, (counts.get(value) ?? 0) + 1));
  }
  return [...counts].slice(0, request.limit).map(([value, number]) => ({ value, photos: number }));
}

const said = <T>(value: T | undefined, holds: (value: T) => boolean) => value === undefined || holds(value);

function matchesOwn(photo: PhotoWithTags, filters: PhotoFilters): boolean {
  return (
    (filters.trashed === 'any' || isTrashed(photo) === (filters.trashed === 'true')) &&
    said(filters.ids, (ids) => ids.includes(photo.id)) &&
    said(filters.filenameKey, (key) => foldKey(photo.filename) === key) &&
    said(filters.importId, (id) => photo.importId === id) &&
    said(filters.externalId, (id) => photo.externalId === id) &&
    said(filters.sha256, (hashes) => hashes.includes(photo.sha256)) &&
    said(filters.contentType, (types) => types.includes('image/*') || types.includes(photo.contentType)) &&
    said(filters.minRating, (rating) => photo.rating !== null && photo.rating >= rating) &&
    said(filters.country, (country) => photo.place?.country === country) &&
    said(filters.placeWords, (words) => haveWords(namesOf(photo), words)) &&
    said(filters.lensWords, (words) => haveWords([photo.camera?.lens ?? ''], words)) &&
    within(photo.exposure?.iso, filters.minIso, filters.maxIso) &&
    within(photo.exposure?.focalLength35mm, filters.minFocalLength35mm, filters.maxFocalLength35mm) &&
    said(filters.camera, (camera) => cameraKey(photo).includes(camera)) &&
    said(filters.creator, (creator) => searchText(photo.creator).includes(creator)) &&
    said(filters.favorite, (favorite) => photo.favorite === favorite) &&
    said(filters.aspect, (aspect) => aspectOf(photo) === aspect) &&
    said(filters.similar, (similar) => isSimilar(photo, similar))
  );
}

function within(value: number | null | undefined, least: number | undefined, most: number | undefined): boolean {
  const isKnown = value !== null && value !== undefined;
  return said(least, (bound) => isKnown && value >= bound) && said(most, (bound) => isKnown && value <= bound);
}

function namesOf({ place }: PhotoWithTags): string[] {
  return place === null ? [] : placeNames(place);
}

function haveWords(texts: readonly string[], words: readonly string[]): boolean {
  const own = texts.flatMap(searchWords);
  return words.every((word) => hasWord(own, word));
}

function isSimilar({ id, phash }: PhotoWithTags, { photoId, phash: other, maxDistance }: SimilarFilter): boolean {
  return id !== photoId && phash !== null && hashDistance(phash, other) <= maxDistance;
}

function cameraKey({ camera }: PhotoWithTags): string {
  return searchText(camera?.make ?? null, camera?.model ?? null);
}

function aspectOf({ width, height }: PhotoWithTags): 'landscape' | 'portrait' | 'square' {
  if (width === height) return 'square';
  return width > height ? 'landscape' : 'portrait';
}

function matchesTimes(photo: PhotoWithTags, filters: PhotoFilters): boolean {
  const within = (at: Date | null, from: Date | undefined, before: Date | undefined) =>
    said(from, (start) => at !== null && at.getTime() >= start.getTime()) &&
    said(before, (end) => at !== null && at.getTime() < end.getTime());
  return (
    within(photo.takenAt, filters.takenAfter, filters.takenBefore) &&
    within(photo.createdAt, filters.createdAfter, filters.createdBefore) &&
    within(photo.updatedAt, filters.updatedAfter, filters.updatedBefore)
  );
}

function matchesTags(photo: PhotoWithTags, { tagIds, anyTagIds, excludeTagIds, untagged }: PhotoFilters): boolean {
  const has = (id: Id) => photo.tags.some((tag) => tag.id === id);
  return (
    said(tagIds, (ids) => ids.every(has)) &&
    said(anyTagIds, (ids) => ids.some(has)) &&
    said(excludeTagIds, (ids) => !ids.some(has)) &&
    said(untagged, (wanted) => (photo.tags.length === 0) === wanted)
  );
}

function matchesPlace({ location }: PhotoWithTags, { hasLocation, bbox }: PhotoFilters): boolean {
  return (
    said(hasLocation, (wanted) => (location !== null) === wanted) &&
    said(bbox, ([west, south, east, north]) => {
      if (location === null || location.latitude < south || location.latitude > north) return false;
      const { longitude } = location;
      return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
    })
  );
}

/** The photo's own texts and its tags' names together have every word. */
function matchesWords(photo: PhotoWithTags, { words }: PhotoFilters): boolean {
  if (words === undefined) return true;
  const texts = [photo.filename, ...searchedValues(photo), ...photo.tags.map((tag) => tag.name)];
  return haveWords([...texts, ...namesOf(photo)], words);
}
