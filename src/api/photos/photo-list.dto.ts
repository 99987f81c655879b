import { parseInstant } from '../../core/media/capture-time.js';
import { fieldNames, isWithin, latitudes, longitudes, photoFields } from '../../core/media/photo-fields.js';
import type { PhotoListRequest } from '../../core/photos/list-photos.js';
import {
  MAX_SEARCH_WORDS,
  NEAREST_FIRST,
  type PhotoFilters,
  type PhotoSort,
  photoSorts,
  searchTerms,
} from '../../core/photos/photo-query.js';
import { DEFAULT_DISTANCE, MAX_DISTANCE } from '../../core/photos/similar/similar-photo.js';
import type { Id } from '../../core/shared/ids.js';
import { cleanText, foldKey, searchText } from '../../core/shared/text.js';
import { withMeanings } from '../../http/fields/declared.js';
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
} from '../../http/requests/parameters.js';
import type { ParameterRule } from '../../http/requests/read-request.js';

const [MAX_FILTER_TAGS, MAX_HASHES, MAX_TYPES] = [20, 100, 20];

const instant = documented<Date>({ type: 'string', format: 'date-time' }, 100, (value) => {
  const at = parseInstant(value);
  if (at !== null) return { value: at };
  const says = 'must look like 2026-11-21T03:04:05Z or 2026-11-21T04:04:05+01:00 (in a URL, + is %2B).';
  return wrong('invalid_format', says);
});

const searched = text(MAX_SEARCH_TEXT);

/** Part of a name. Without a letter or digit it would match everything, so it is refused. */
const words = documented<string>(searched.schema, searched.maxLength, (value) => {
  const parsed = searched(value);
  if (!('value' in parsed) || searchText(parsed.value) !== '') return parsed;
  return wrong('too_short', 'must contain a letter or digit.');
});

const search = documented<readonly string[]>(searched.schema, searched.maxLength, (value) => {
  const parsed = searched(value);
  if (!('value' in parsed)) return parsed;
  const terms = searchTerms(parsed.value);
  if (terms === null) return wrong('too_many', `must have at most ${MAX_SEARCH_WORDS} words.`);
  return terms.length > 0 ? { value: terms } : wrong('too_short', 'must contain a letter, a digit or an emoji.');
});

const country: ParameterParser<string> = documented<string>({ type: 'string', pattern: '^[A-Za-z]{2}$' }, 2, (value) =>
  /^[a-z]{2}$/i.test(value)
    ? { value: value.toUpperCase() }
    : wrong('invalid_format', 'must be a code of ISO 3166-1 with two letters, such as FR.'),
);

const sha256: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  64,
  (value) =>
    /^[0-9a-f]{64}$/i.test(value)
      ? { value: value.toLowerCase() }
      : wrong('invalid_format', 'must be SHA-256 hashes of 64 hex digits.'),
);

const contentType: ParameterParser<string> = documented<string>(
  { type: 'string', pattern: '^[A-Za-z]+/(\\*|[A-Za-z0-9.+-]+)$' },
  // Longest name of a media type (RFC 6838 §4.2): 127 characters on each side of the slash.
  255,
  (value) =>
    /^[a-z]+\/(\*|[a-z0-9.+-]+)$/i.test(value)
      ? { value: value.toLowerCase() }
      : wrong('invalid_format', 'must be content types such as image/jpeg or image/*.'),
);

const degrees: ParameterParser<number> = documented<number>(
  { type: 'number', minimum: longitudes.min, maximum: longitudes.max },
  20,
  (value) =>
    /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(value)
      ? { value: Number(value) }
      : wrong('invalid_format', 'must be minLon,minLat,maxLon,maxLat in decimal degrees.'),
);

const corners = listOf(degrees, 4);

const bbox = documented<readonly [number, number, number, number]>(
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
      [west, east].every((at) => isWithin(longitudes, at)) && [south, north].every((at) => isWithin(latitudes, at));
    if (inRange && south <= north) return { value: [west, south, east, north] };
    return wrong('out_of_range', 'must have longitudes from -180 to 180 and latitudes from -90 to 90, minLat first.');
  },
);

const DEFAULT_SORT: PhotoSort = '-createdAt';

/** Above what cameras have. */
const [MAX_ISO, MAX_FOCAL_LENGTH] = [10_000_000, 100_000];

const when = (what: string) => ({
  description: `${what} RFC 3339 with a UTC offset (encode \`+\` as \`%2B\` in a URL).`,
  example: '2026-11-21T03:04:05Z',
});

export const URLS = 'signed URLs of the renditions, for use in `<img>`';

export function include<Name extends string>(meanings: Readonly<Record<Name, string>>) {
  const description = 'Additional fields to return, separated by commas.';
  return { description: withMeanings(description, meanings), example: Object.keys(meanings).slice(0, 1) };
}

/** `title, description, …` */
const searchedFields = fieldNames
  .filter((name) => photoFields[name].searched)
  .map((name) => photoFields[name].label.toLowerCase())
  .join(', ');

export class PhotoListQuery extends PaginationQuery {
  @Parameter(oneOf(photoSorts), {
    description:
      'The sort order; `-` means descending. By default, the photos most recently added to the library come first. Photos without a value come last in both directions. `updatedAt` can only ascend: reading in the other direction would miss photos that change in the meantime.',
    example: '-takenAt',
    default: DEFAULT_SORT,
  })
  readonly sort?: PhotoSort;

  @Parameter(idList(), idListWords('Return only these photos. Unknown ids are ignored.'))
  readonly ids?: readonly Id[];

  @Parameter(search, {
    description: `Search words. Each must begin a word in the file name, ${searchedFields}, place or name of a tag; case and accents are ignored. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are found anywhere in these texts, as they are written: \`京都\` finds \`東京都\`. An emoji is a word, whatever its tone of skin. At most ${MAX_SEARCH_WORDS} different words (\`too_many\`); at least one letter, digit or emoji.`,
    example: 'eiffel rain',
  })
  readonly q?: readonly string[];

  @Parameter(text(MAX_FILTER_TEXT), { description: 'The complete file name, ignoring case.', example: 'DSC_3701.jpg' })
  readonly filename?: string;

  @Parameter(idList(MAX_FILTER_TAGS), idListWords('Return only photos with all of these tags.', MAX_FILTER_TAGS))
  readonly tagIds?: readonly Id[];

  @Parameter(
    idList(MAX_FILTER_TAGS),
    idListWords('Return only photos with at least one of these tags.', MAX_FILTER_TAGS),
  )
  readonly anyTagIds?: readonly Id[];

  @Parameter(idList(MAX_FILTER_TAGS), idListWords('Return only photos with none of these tags.', MAX_FILTER_TAGS))
  readonly excludeTagIds?: readonly Id[];

  @Parameter(flag, {
    description: '`true` returns only photos without tags, `false` only photos with at least one.',
    example: true,
  })
  readonly untagged?: boolean;

  @Parameter(id, { description: 'Return only photos from this import.', example: 7 })
  readonly importId?: Id;

  @Parameter(text(MAX_FILTER_TEXT), {
    description: 'Return only photos with exactly this `externalId`.',
    example: 'shoot-17/3701',
  })
  readonly externalId?: string;

  @Parameter(listOf(sha256, MAX_HASHES), {
    description: `Return only photos whose originals have these SHA-256 hashes. Useful to check what is already in the library. At most ${MAX_HASHES}, separated by commas.`,
    example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  })
  readonly sha256?: readonly string[];

  @Parameter(listOf(contentType, MAX_TYPES), {
    description: `Return only photos of these types; \`image/*\` matches a whole family. At most ${MAX_TYPES}, separated by commas.`,
    example: ['image/jpeg', 'image/png'],
  })
  readonly contentType?: readonly string[];

  @Parameter(instant, when('Return only photos taken at or after this time.'))
  readonly takenAfter?: Date;

  @Parameter(instant, when('Return only photos taken before this time.'))
  readonly takenBefore?: Date;

  @Parameter(instant, when('Return only photos added to the library at or after this time.'))
  readonly createdAfter?: Date;

  @Parameter(instant, when('Return only photos added to the library before this time.'))
  readonly createdBefore?: Date;

  @Parameter(instant, when('Return only photos changed at or after this time.'))
  readonly updatedAfter?: Date;

  @Parameter(instant, when('Return only photos last changed before this time.'))
  readonly updatedBefore?: Date;

  @Parameter(flag, { description: 'Whether the position of the photo is known.', example: true })
  readonly hasLocation?: boolean;

  @Parameter(bbox, {
    description:
      'Return only photos taken within this box: minLon,minLat,maxLon,maxLat in decimal degrees. If minLon is greater than maxLon, the box crosses the 180th meridian.',
    example: [2.22, 48.81, 2.47, 48.91],
  })
  readonly bbox?: readonly [number, number, number, number];

  @Parameter(country, {
    description: 'Return only photos taken in this country: ISO 3166-1 alpha-2, ignoring case.',
    example: 'FR',
  })
  readonly country?: string;

  @Parameter(search, {
    description:
      'Words of the names of the city, the region or the country where the photo was taken, in English for countries, matched like those of `q`.',
    example: 'paris',
  })
  readonly place?: readonly string[];

  @Parameter(words, {
    description: "Part of the camera's make and model, ignoring case and accents. Must contain a letter or digit.",
    example: 'nikon d750',
  })
  readonly camera?: string;

  @Parameter(search, {
    description: "Words of the lens's name, matched like those of `q`.",
    example: '24-120mm',
  })
  readonly lens?: readonly string[];

  @Parameter(wholeNumber(1, MAX_ISO), {
    description: 'Return only photos of at least this ISO sensitivity.',
    example: 1600,
  })
  readonly minIso?: number;

  @Parameter(wholeNumber(1, MAX_ISO), {
    description: 'Return only photos of at most this ISO sensitivity.',
    example: 6400,
  })
  readonly maxIso?: number;

  @Parameter(wholeNumber(1, MAX_FOCAL_LENGTH), {
    description: 'Return only photos whose 35 mm equivalent focal length is at least so many millimetres.',
    example: 24,
  })
  readonly minFocalLength35mm?: number;

  @Parameter(wholeNumber(1, MAX_FOCAL_LENGTH), {
    description: 'Return only photos whose 35 mm equivalent focal length is at most so many millimetres.',
    example: 35,
  })
  readonly maxFocalLength35mm?: number;

  @Parameter(words, {
    description: "Part of the creator's name, ignoring case and accents. Must contain a letter or digit.",
    example: 'lovelace',
  })
  readonly creator?: string;

  @Parameter(flag, { description: '`true` returns only favourites, `false` only the others.', example: true })
  readonly favorite?: boolean;

  @Parameter(wholeNumber(0, photoFields.rating.max), {
    description: 'Return only photos with at least this rating.',
    example: 4,
  })
  readonly minRating?: number;

  @Parameter(oneOf(['landscape', 'portrait', 'square']), {
    description: 'The shape of the photo as displayed.',
    meanings: { landscape: 'wider than it is high', portrait: 'higher than it is wide', square: 'neither' },
    example: 'landscape',
  })
  readonly aspect?: 'landscape' | 'portrait' | 'square';

  @Parameter(id, {
    description:
      'Return only photos that look like this one, nearest first unless `sort` is given. Photos are compared by `phash`; a photo without one is like none.',
    example: 90417,
  })
  readonly similarTo?: Id;

  @Parameter(wholeNumber(0, MAX_DISTANCE), {
    description: `Only with \`similarTo\`: in how many of the 64 bits of \`phash\` they may differ. ${DEFAULT_DISTANCE} finds copies that were resized, compressed again or slightly cropped; more finds other photos of the same scene, and others.`,
    example: 10,
    default: DEFAULT_DISTANCE,
  })
  readonly maxDistance?: number;

  @Parameter(oneOf(['false', 'true', 'any']), {
    description: 'Where to search.',
    meanings: { false: 'the library', true: 'the trash', any: 'both' },
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
    sort,
    similarTo: photoId,
    maxDistance,
    q,
    filename,
    externalId,
    camera,
    creator,
    place,
    lens,
    trashed = 'false',
    include: ___,
    ...exact
  } = query;
  const filters: PhotoFilters = {
    ...exact,
    ...(q !== undefined && { words: q }),
    ...(filename !== undefined && { filenameKey: foldKey(filename) }),
    ...(externalId !== undefined && { externalId: cleanText(externalId) }),
    ...(place !== undefined && { placeWords: place }),
    ...(lens !== undefined && { lensWords: lens }),
    ...(camera !== undefined && { camera: searchText(camera) }),
    ...(creator !== undefined && { creator: searchText(creator) }),
    trashed,
  };
  const similarTo = photoId === undefined ? undefined : { photoId, maxDistance: maxDistance ?? DEFAULT_DISTANCE };
  return { ...paginationOf(query), filters, similarTo, sort: sort ?? (similarTo ? NEAREST_FIRST : DEFAULT_SORT) };
}

/** A distance is one from a photo. */
export const similarityRule: ParameterRule<PhotoListQuery> = ({ maxDistance }, { sent }) => {
  if (sent.has('similarTo') || maxDistance === undefined) return [];
  const message = 'maxDistance requires similarTo, the photo that others are compared with.';
  return [{ field: 'maxDistance', code: 'conflict', message }];
};
