import { parseInstant } from '../../../core/media/capture-time.js';
import { MAX_SEARCH_WORDS, searchTerms } from '../../../core/photos/photo-query.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../core/photos/photo-values.js';
import { searchText } from '../../../core/shared/text.js';
import { documented, listOf, MAX_SEARCH_TEXT, type ParameterParser, text, wrong } from '../../requests/parameters.js';

/** Maximum number of tags in one filter. */
export const MAX_FILTER_TAGS = 20;

export const MAX_HASHES = 100;

export const MAX_TYPES = 20;

/** Longest name of a media type (RFC 6838 §4.2): 127 characters on each side of the slash. */
const MAX_TYPE = 255;

export const instant = documented<Date>({ type: 'string', format: 'date-time' }, 100, (value) => {
  const at = parseInstant(value);
  if (at !== null) return { value: at };
  return wrong(
    'invalid_format',
    'must look like 2026-11-21T03:04:05Z or 2026-11-21T04:04:05+01:00 (in a URL, + is %2B).',
  );
});

const searched = text(MAX_SEARCH_TEXT);

/** Part of a name. Without a letter or digit it would match everything, so it is refused. */
export const words = documented<string>(searched.schema, searched.maxLength, (value) => {
  const parsed = searched(value);
  if (!('value' in parsed) || searchText(parsed.value) !== '') return parsed;
  return wrong('too_short', 'must contain a letter or digit.');
});

export const search = documented<readonly string[]>(searched.schema, searched.maxLength, (value) => {
  const parsed = searched(value);
  if (!('value' in parsed)) return parsed;
  const terms = searchTerms(parsed.value);
  if (terms === null) return wrong('too_many', `must have at most ${MAX_SEARCH_WORDS} words.`);
  return terms.length > 0 ? { value: terms } : wrong('too_short', 'must contain a letter, a digit or an emoji.');
});

export const country: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[A-Za-z]{2}$' },
  2,
  (value) =>
    /^[a-z]{2}$/i.test(value)
      ? { value: value.toUpperCase() }
      : wrong('invalid_format', 'must be a code of ISO 3166-1 with two letters, such as FR.'),
);

export const sha256: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  64,
  (value) =>
    /^[0-9a-f]{64}$/i.test(value)
      ? { value: value.toLowerCase() }
      : wrong('invalid_format', 'must be SHA-256 hashes of 64 hex digits.'),
);

export const contentType: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[A-Za-z]+/(\\*|[A-Za-z0-9.+-]+)$' },
  MAX_TYPE,
  (value) =>
    /^[a-z]+\/(\*|[a-z0-9.+-]+)$/i.test(value)
      ? { value: value.toLowerCase() }
      : wrong('invalid_format', 'must be content types such as image/jpeg or image/*.'),
);

const degrees: ParameterParser<number> = documented<number>(
  { type: 'number', minimum: -MAX_LONGITUDE, maximum: MAX_LONGITUDE },
  20,
  (value) =>
    /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(value)
      ? { value: Number(value) }
      : wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.'),
);

const corners = listOf(degrees, 4);

export const bbox = documented<readonly [number, number, number, number]>(
  { ...corners.schema, minItems: 4 },
  corners.maxLength,
  (value) => {
    const read = corners(value);
    if (!('value' in read)) return read;
    const [west, south, east, north] = read.value;
    if (west === undefined || south === undefined || east === undefined || north === undefined) {
      return wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.');
    }
    const inRange =
      [west, east].every((at) => Math.abs(at) <= MAX_LONGITUDE) &&
      [south, north].every((at) => Math.abs(at) <= MAX_LATITUDE);
    if (inRange && south <= north) return { value: [west, south, east, north] };
    return wrong('out_of_range', 'must have longitudes from -180 to 180 and latitudes from -90 to 90, minLat first.');
  },
);
