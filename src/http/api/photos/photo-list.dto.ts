import { parseInstant } from '../../../core/media/capture-time.js';
import type { PhotoListRequest } from '../../../core/photos/list-photos.js';
import { MAX_SEARCH_WORDS, type PhotoFilters, photoSorts, searchTerms } from '../../../core/photos/photo-query.js';
import { cleanText, foldKey, searchText } from '../../../core/shared/text.js';
import {
  flag,
  id,
  idList,
  listOf,
  oneOf,
  type ParameterParser,
  paginationOf,
  paginationParameters,
  type QueryOf,
  someOf,
  text,
  wholeNumber,
  wrong,
} from '../../requests/parameters.js';

/** Maximum number of tags in one filter. */
export const MAX_FILTER_TAGS = 20;
export const MAX_HASHES = 100;
export const MAX_TYPES = 20;

const instant: ParameterParser<Date> = (value) => {
  const at = parseInstant(value);
  if (at !== null) return { value: at };
  return wrong(
    'invalid_format',
    'must look like 2026-11-21T03:04:05Z or 2026-11-21T04:04:05+01:00 (in a URL, + is %2B).',
  );
};

/** Text that is searched by words. Without any it would match everything, so it is refused. */
const words: ParameterParser<string> = (value) => {
  const said = text(200)(value);
  if (!('value' in said) || searchText(said.value) !== '') return said;
  return wrong('too_short', 'must have a letter or a digit.');
};

const search: ParameterParser<readonly string[]> = (value) => {
  const said = words(value);
  if (!('value' in said)) return said;
  const terms = searchTerms(said.value);
  return terms ? { value: terms } : wrong('too_many', `must have at most ${MAX_SEARCH_WORDS} words.`);
};

const sha256: ParameterParser<string> = (value) =>
  /^[0-9a-f]{64}$/i.test(value)
    ? { value: value.toLowerCase() }
    : wrong('invalid_format', 'must be SHA-256 hashes of 64 hex digits.');

const contentType: ParameterParser<string> = (value) =>
  /^[a-z]+\/(\*|[a-z0-9.+-]+)$/i.test(value)
    ? { value: value.toLowerCase() }
    : wrong('invalid_format', 'must be content types such as image/jpeg or image/*.');

const degrees: ParameterParser<number> = (value) =>
  /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(value)
    ? { value: Number(value) }
    : wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.');

const bbox: ParameterParser<readonly [number, number, number, number]> = (value) => {
  const corners = listOf(degrees, 4)(value);
  if (!('value' in corners)) return corners;
  const [west, south, east, north] = corners.value;
  if (west === undefined || south === undefined || east === undefined || north === undefined) {
    return wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.');
  }
  const inRange = Math.abs(west) <= 180 && Math.abs(east) <= 180 && Math.abs(south) <= 90 && Math.abs(north) <= 90;
  if (inRange && south <= north) return { value: [west, south, east, north] };
  return wrong('out_of_range', 'must have longitudes from -180 to 180 and latitudes from -90 to 90, minLat first.');
};

export const photoListParameters = {
  ...paginationParameters,
  sort: oneOf(photoSorts),
  ids: idList(),
  q: search,
  filename: text(1000),
  tagIds: idList(MAX_FILTER_TAGS),
  anyTagIds: idList(MAX_FILTER_TAGS),
  excludeTagIds: idList(MAX_FILTER_TAGS),
  untagged: flag,
  importId: id,
  externalId: text(1000),
  sha256: listOf(sha256, MAX_HASHES),
  contentType: listOf(contentType, MAX_TYPES),
  takenAfter: instant,
  takenBefore: instant,
  createdAfter: instant,
  createdBefore: instant,
  updatedAfter: instant,
  updatedBefore: instant,
  hasLocation: flag,
  bbox,
  camera: words,
  minRating: wholeNumber(0, 5),
  aspect: oneOf(['landscape', 'portrait', 'square']),
  trashed: oneOf(['false', 'true', 'any']),
  include: someOf(['urls']),
};

/** Filters are compared with values that the library stores cleaned or folded: they are normalized here in the same way. */
export function photoListRequest(query: QueryOf<typeof photoListParameters>): PhotoListRequest {
  const {
    limit: _,
    cursor: __,
    sort = '-createdAt',
    q,
    filename,
    externalId,
    camera,
    trashed = 'false',
    include: ___,
    ...exact
  } = query;
  const filters: PhotoFilters = {
    ...exact,
    ...(q !== undefined && { words: q }),
    ...(filename !== undefined && { filenameKey: foldKey(filename) }),
    ...(externalId !== undefined && { externalId: cleanText(externalId) }),
    ...(camera !== undefined && { camera: searchText(camera) }),
    trashed,
  };
  return { ...paginationOf(query), filters, sort };
}
