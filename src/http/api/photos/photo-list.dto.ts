import { parseInstant } from '../../../core/media/capture-time.js';
import type { PhotoListRequest } from '../../../core/photos/list-photos.js';
import {
  MAX_SEARCH_WORDS,
  type PhotoFilters,
  type PhotoSort,
  photoSorts,
  searchTerms,
} from '../../../core/photos/photo-query.js';
import { MAX_LATITUDE, MAX_LONGITUDE, MAX_RATING } from '../../../core/photos/photo-values.js';
import type { Id } from '../../../core/shared/ids.js';
import { cleanText, foldKey, searchText } from '../../../core/shared/text.js';
import { withMeanings } from '../../fields/fields.js';
import {
  documented,
  flag,
  id,
  idList,
  idListWords,
  listOf,
  MAX_FILTER_TEXT,
  MAX_SEARCH_TEXT,
  oneOf,
  PaginationQuery,
  Parameter,
  type ParameterParser,
  paginationOf,
  someOf,
  text,
  wholeNumber,
  wrong,
} from '../../requests/parameters.js';

/** Maximum number of tags in one filter. */
export const MAX_FILTER_TAGS = 20;
export const MAX_HASHES = 100;
export const MAX_TYPES = 20;

const instant = documented<Date>({ type: 'string', format: 'date-time' }, (value) => {
  const at = parseInstant(value);
  if (at !== null) return { value: at };
  return wrong(
    'invalid_format',
    'must look like 2026-11-21T03:04:05Z or 2026-11-21T04:04:05+01:00 (in a URL, + is %2B).',
  );
});

/** Text that is searched by words. Without any it would match everything, so it is refused. */
const words = documented<string>(text(MAX_SEARCH_TEXT).schema, (value) => {
  const said = text(MAX_SEARCH_TEXT)(value);
  if (!('value' in said) || searchText(said.value) !== '') return said;
  return wrong('too_short', 'must have a letter or a digit.');
});

const search = documented<readonly string[]>(words.schema, (value) => {
  const said = words(value);
  if (!('value' in said)) return said;
  const terms = searchTerms(said.value);
  return terms ? { value: terms } : wrong('too_many', `must have at most ${MAX_SEARCH_WORDS} words.`);
});

const sha256: ParameterParser<string> = documented<string>({ type: 'string', pattern: '^[0-9a-fA-F]{64}$' }, (value) =>
  /^[0-9a-f]{64}$/i.test(value)
    ? { value: value.toLowerCase() }
    : wrong('invalid_format', 'must be SHA-256 hashes of 64 hex digits.'),
);

const contentType: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[A-Za-z]+/(\\*|[A-Za-z0-9.+-]+)$' },
  (value) =>
    /^[a-z]+\/(\*|[a-z0-9.+-]+)$/i.test(value)
      ? { value: value.toLowerCase() }
      : wrong('invalid_format', 'must be content types such as image/jpeg or image/*.'),
);

const degrees: ParameterParser<number> = documented<number>(
  { type: 'number', minimum: -MAX_LONGITUDE, maximum: MAX_LONGITUDE },
  (value) =>
    /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(value)
      ? { value: Number(value) }
      : wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.'),
);

const corners = listOf(degrees, 4);

const bbox = documented<readonly [number, number, number, number]>({ ...corners.schema, minItems: 4 }, (value) => {
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
});

const DEFAULT_SORT: PhotoSort = '-createdAt';

const WITH_OFFSET = 'RFC 3339 with its offset (in a URL `+` is `%2B`).';
const when = (what: string) => ({ description: `${what} ${WITH_OFFSET}`, example: '2026-11-21T03:04:05Z' });

export const URLS = 'addresses of the renditions for `<img>`';

/** What the document says of `include`. */
export function include<Name extends string>(meanings: Readonly<Record<Name, string>>) {
  const description = 'What to show beside the rest, with commas between.';
  return { description: withMeanings(description, meanings), example: Object.keys(meanings).slice(0, 1) };
}

export class PhotoListQuery extends PaginationQuery {
  @Parameter(oneOf(photoSorts), {
    description:
      'The order; `-` is descending, the default is newest in the library first. What has no value comes last in both directions. `updatedAt` only ascends: a walk the other way would miss what changes meanwhile.',
    example: '-takenAt',
    default: DEFAULT_SORT,
  })
  readonly sort?: PhotoSort;

  @Parameter(idList(), idListWords('These photos; ids that do not exist are simply not there.'))
  readonly ids?: readonly Id[];

  @Parameter(search, {
    description: `Words, all of which begin a word of file name, title, description or a tag's name, whatever case and accents. At most ${MAX_SEARCH_WORDS} different words (\`too_many\`); without a letter or digit it is refused.`,
    example: 'eiffel rain',
  })
  readonly q?: readonly string[];

  @Parameter(text(MAX_FILTER_TEXT), { description: 'The whole name, whatever its case.', example: 'DSC_3701.jpg' })
  readonly filename?: string;

  @Parameter(idList(MAX_FILTER_TAGS), idListWords('Carries all of these tags.', MAX_FILTER_TAGS))
  readonly tagIds?: readonly Id[];

  @Parameter(idList(MAX_FILTER_TAGS), idListWords('Carries at least one of these tags.', MAX_FILTER_TAGS))
  readonly anyTagIds?: readonly Id[];

  @Parameter(idList(MAX_FILTER_TAGS), idListWords('Carries none of these tags.', MAX_FILTER_TAGS))
  readonly excludeTagIds?: readonly Id[];

  @Parameter(flag, { description: '`true`: carries no tag; `false`: carries one at least.', example: true })
  readonly untagged?: boolean;

  @Parameter(id, { description: 'Came with this import.', example: 7 })
  readonly importId?: Id;

  @Parameter(text(MAX_FILTER_TEXT), { description: 'Has exactly this `externalId`.', example: 'shoot-17/3701' })
  readonly externalId?: string;

  @Parameter(listOf(sha256, MAX_HASHES), {
    description: `Originals with these hashes: which of them are there already? At most ${MAX_HASHES}, with commas between.`,
    example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  })
  readonly sha256?: readonly string[];

  @Parameter(listOf(contentType, MAX_TYPES), {
    description: `One of these types, or of a kind as \`image/*\`. At most ${MAX_TYPES}, with commas between.`,
    example: ['image/jpeg', 'image/png'],
  })
  readonly contentType?: readonly string[];

  @Parameter(instant, when('Taken then or later.'))
  readonly takenAfter?: Date;

  @Parameter(instant, when('Taken before.'))
  readonly takenBefore?: Date;

  @Parameter(instant, when('In the library since then or later.'))
  readonly createdAfter?: Date;

  @Parameter(instant, when('In the library since before.'))
  readonly createdBefore?: Date;

  @Parameter(instant, when('Changed then or later.'))
  readonly updatedAfter?: Date;

  @Parameter(instant, when('Last changed before.'))
  readonly updatedBefore?: Date;

  @Parameter(flag, { description: 'Whether its place is known.', example: true })
  readonly hasLocation?: boolean;

  @Parameter(bbox, {
    description:
      'Taken in this box: minLon,minLat,maxLon,maxLat in decimal degrees. Crosses 180° when minLon is above maxLon.',
    example: [2.22, 48.81, 2.47, 48.91],
  })
  readonly bbox?: readonly [number, number, number, number];

  @Parameter(words, {
    description: 'Part of make and model, whatever case and accents; without a letter or digit it is refused.',
    example: 'nikon d750',
  })
  readonly camera?: string;

  @Parameter(wholeNumber(0, MAX_RATING), { description: 'So many stars or more.', example: 4 })
  readonly minRating?: number;

  @Parameter(oneOf(['landscape', 'portrait', 'square']), {
    description: 'The shape, as shown.',
    meanings: { landscape: 'wider than high', portrait: 'higher than wide', square: 'neither' },
    example: 'landscape',
  })
  readonly aspect?: 'landscape' | 'portrait' | 'square';

  @Parameter(oneOf(['false', 'true', 'any']), {
    description: 'Where to look.',
    meanings: { false: 'in the library', true: 'in the trash', any: 'in both' },
    example: 'false',
    default: 'false',
  })
  readonly trashed?: 'false' | 'true' | 'any';

  @Parameter(someOf(['urls']), include({ urls: URLS }))
  readonly include?: readonly 'urls'[];
}

/** Filters are compared with values that the library stores cleaned or folded: they are normalized here in the same way. */
export function photoListRequest(query: PhotoListQuery): PhotoListRequest {
  const {
    limit: _,
    cursor: __,
    sort = DEFAULT_SORT,
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
