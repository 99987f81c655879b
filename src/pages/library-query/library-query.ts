import type { Caller } from '../../core/access/caller.js';
import { fromWallClock } from '../../core/media/capture-time.js';
import { acceptedFormats } from '../../core/media/formats.js';
import { isWithin, latitudes, longitudes } from '../../core/media/photo-fields.js';
import { readSimilarFilter, type TwoWaySort } from '../../core/photos/list-photos.js';
import { MAX_SEARCH_WORDS, type PhotoFilters, searchTerms } from '../../core/photos/photo-query.js';
import { countryName } from '../../core/photos/places.js';
import { DEFAULT_DISTANCE } from '../../core/photos/similar/similar-photo.js';
import type { Ports } from '../../core/ports.js';
import { DAY } from '../../core/shared/clock.js';
import { unlessGone } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { searchText } from '../../core/shared/text.js';
import { listTags } from '../../core/tags/read-tag.js';
import { nameKeyOf } from '../../core/tags/tag.js';

export const librarySorts = [
  ['-takenAt', 'Newest first'],
  ['takenAt', 'Oldest first'],
  ['-createdAt', 'Recently added'],
  ['filename', 'By file name'],
] as const satisfies readonly (readonly [TwoWaySort, string])[];

/** The query of the library page, from its address. Empty: not set. */
export interface LibraryQuery {
  readonly q: string;
  /** Name of a tag, case-insensitive. */
  readonly tag: string;
  /** First and last day on which photos were taken, `2026-11-21`, in the account's time zone. */
  readonly from: string;
  readonly to: string;
  readonly sort: (typeof librarySorts)[number][0];
  readonly trash: boolean;
  readonly importId: Id | null;
  /** The photo that others look like. */
  readonly similarTo: Id | null;
  readonly panel: PanelValues;
}

export function readLibraryQuery(query: Readonly<Record<string, unknown>>): LibraryQuery {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim() : '');
  const [sort] = librarySorts.find(([value]) => value === text('sort')) ?? librarySorts[0];
  return {
    q: text('q'),
    tag: text('tag'),
    from: text('from'),
    to: text('to'),
    sort,
    trash: text('view') === 'trash',
    importId: parseId(text('import')),
    similarTo: parseId(text('similar')),
    panel: readPanel(text),
  };
}

/** The same list without anything that narrows it. */
export function unfiltered(query: LibraryQuery): LibraryQuery {
  return { ...readLibraryQuery({}), sort: query.sort, trash: query.trash };
}

/** The query in an address, without its question mark; defaults are omitted. */
export function queryText(query: LibraryQuery, cursor: string | null = null): string {
  const fields = {
    q: query.q,
    tag: query.tag,
    from: query.from,
    to: query.to,
    sort: query.sort === librarySorts[0][0] ? '' : query.sort,
    view: query.trash ? 'trash' : '',
    import: query.importId === null ? '' : String(query.importId),
    similar: query.similarTo === null ? '' : String(query.similarTo),
    ...query.panel,
    cursor: cursor ?? '',
  };
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString();
}

export function libraryPath(query: LibraryQuery, cursor: string | null = null): string {
  return withQuery('/settings/library', queryText(query, cursor));
}

/** The form that changes selected photos of a list, or downloads them. */
export function selectionPath(query: LibraryQuery, file = ''): string {
  return withQuery(`/settings/library/selection${file}`, queryText(query));
}

export function photoPath(id: Id, query: LibraryQuery, step = ''): string {
  return withQuery(`/settings/photos/${id}${step}`, queryText(query));
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Whether it excludes photos of the library, or of the trash. */
export function isNarrow(query: LibraryQuery): boolean {
  return queryText(query) !== queryText(unfiltered(query));
}

/** Whether every year of the library may be in this list, in the order of time. */
export function hasYears(query: LibraryQuery): boolean {
  const isInOrder = query.sort === '-takenAt' || query.sort === 'takenAt';
  return !query.trash && isInOrder && !isNarrow({ ...query, from: '', to: '' });
}

/**
 * The query as the filters of the API, null when no photo can match; and the parts that could not be parsed, in sentences, which the filters
 * leave out.
 */
export async function libraryFilters(
  ports: Ports,
  caller: Caller,
  query: LibraryQuery,
): Promise<{ filters: PhotoFilters | null; problems: readonly string[] }> {
  const words = query.q === '' ? [] : searchTerms(query.q);
  const zone =
    query.from || query.to ? ((await ports.customers.find(caller.customerId))?.defaultTimeZone ?? 'UTC') : '';
  const [from, to] = [startOfDay(query.from, zone), startOfDay(query.to, zone)];
  const tagIds = query.tag === '' ? [] : await tagNamed(ports, caller, query.tag);
  const panel = panelFilters(query.panel);
  // Null when the photo, which may be in the trash, cannot be compared, or is not there.
  const similar =
    query.similarTo === null
      ? undefined
      : await unlessGone(readSimilarFilter(ports, caller, { photoId: query.similarTo, maxDistance: DEFAULT_DISTANCE }));
  const problems = [
    ...panel.problems,
    words === null ? `A search has at most ${MAX_SEARCH_WORDS} words.` : null,
    query.q !== '' && words?.length === 0 ? 'Search for words with letters or digits, or for emoji.' : null,
    from === null ? 'The start date is not a valid date.' : null,
    to === null ? 'The end date is not a valid date.' : null,
    query.tag !== '' && tagIds.length === 0 ? `There is no tag “${query.tag}”.` : null,
    similar === null ? 'No photos can be compared with that one.' : null,
  ].filter((problem) => problem !== null);
  if ((query.tag !== '' && tagIds.length === 0) || similar === null) return { filters: null, problems };
  const filters = {
    ...panel.filters,
    ...(similar && { similar }),
    trashed: query.trash ? ('true' as const) : ('false' as const),
    ...(words !== null && words.length > 0 && { words }),
    ...(tagIds.length > 0 && { tagIds }),
    ...(from && { takenAfter: from.begins }),
    ...(to && { takenBefore: to.ends }),
    ...(query.importId !== null && { importId: query.importId }),
  };
  return { filters, problems };
}

/** Undefined when none is set, null when it is not a day. */
function startOfDay(day: string, zone: string): { begins: Date; ends: Date } | null | undefined {
  if (day === '') return undefined;
  const begins = midnight(day, zone);
  if (begins === null) return null;
  // Days of 23 and 25 hours are days, too.
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
  return { begins, ends: midnight(next, zone) ?? new Date(begins.getTime() + DAY) };
}

function midnight(day: string, zone: string): Date | null {
  return fromWallClock(`${day}T00:00:00`, zone)?.takenAt ?? null;
}

async function tagNamed(ports: Ports, caller: Caller, name: string): Promise<readonly Id[]> {
  const nameKey = nameKeyOf(name);
  if (nameKey === null) return [];
  const { data } = await listTags(ports, caller, { filters: { nameKey }, sort: 'name', limit: 1, cursor: null });
  return data.map(({ id }) => id);
}

/** A filter of the panel: what its value in an address means, and how it is named among the active filters. */
interface PanelFilter {
  /** Null when the value means nothing. */
  readonly read: (value: string) => Partial<PhotoFilters> | null;
  readonly inWords: (value: string) => string;
  /** The problem with a value that means nothing. */
  readonly problem: string;
}

/** By their names in addresses. */
const filters = {
  rating: {
    read: (value) => (/^[0-5]$/.test(value) ? { minRating: Number(value) } : null),
    inWords: (value) => (value === '5' ? '5 stars' : `${value} stars or more`),
    problem: 'The rating must be a number of stars from 0 to 5.',
  },
  camera: named('camera', 'Camera'),
  lens: named('lensWords', 'Lens'),
  country: {
    read: (value) => (/^[A-Z]{2}$/.test(value) ? { country: value } : null),
    inWords: countryName,
    problem: 'There is no such country.',
  },
  place: named('placeWords', 'Place'),
  box: {
    read: (value) => {
      const bbox = parseBox(value);
      return bbox && { bbox };
    },
    inWords: (value) => `Area ${boxInWords(value)}`,
    problem: 'The area must be four numbers in degrees: west, south, east, north.',
  },
  located: {
    ...yesOrNo('With a location', 'Without a location', (hasLocation) => ({ hasLocation })),
    problem: 'Photos either have a location or not.',
  },
  aspect: {
    read: (value) => (value === 'landscape' || value === 'portrait' || value === 'square' ? { aspect: value } : null),
    inWords: (value) => value.charAt(0).toUpperCase() + value.slice(1),
    problem: 'The shape must be landscape, portrait or square.',
  },
  format: {
    read: (value) => (acceptedFormats.some((format) => format.contentType === value) ? { contentType: [value] } : null),
    inWords: formatName,
    problem: 'There is no such format.',
  },
  favorite: {
    ...yesOrNo('Favourites', 'Not favourites', (favorite) => ({ favorite })),
    problem: 'Photos are either favourites or not.',
  },
  creator: named('creator', 'Creator'),
  tagged: {
    ...yesOrNo('With tags', 'Without tags', (tagged) => ({ untagged: !tagged })),
    problem: 'Photos either have tags or not.',
  },
} as const satisfies Readonly<Record<string, PanelFilter>>;

export type PanelName = keyof typeof filters;

export const panelNames = Object.keys(filters) as readonly PanelName[];

/** The values of an address, as text. Empty: not set. */
type PanelValues = Readonly<Record<PanelName, string>>;

export function readPanel(text: (name: string) => string): PanelValues {
  return Object.fromEntries(panelNames.map((name) => [name, text(name)])) as Record<PanelName, string>;
}

export function panelInWords(name: PanelName, value: string): string {
  return filters[name].inWords(value);
}

/** Returns what the values mean. Those that mean nothing are named, and filter nothing. */
export function panelFilters(values: PanelValues): { filters: Partial<PhotoFilters>; problems: readonly string[] } {
  const given = panelNames.filter((name) => values[name] !== '');
  const read = given.map((name) => ({ filter: filters[name].read(values[name]), problem: filters[name].problem }));
  return {
    filters: Object.assign({}, ...read.map(({ filter }) => filter)),
    problems: read.flatMap(({ filter, problem }) => (filter === null ? [problem] : [])),
  };
}

export function formatName(contentType: string): string {
  return acceptedFormats.find((format) => format.contentType === contentType)?.name ?? contentType;
}

/** A filter by a name, or by words of it. */
function named(filter: 'camera' | 'creator' | 'lensWords' | 'placeWords', label: string): PanelFilter {
  const hasWords = filter === 'lensWords' || filter === 'placeWords';
  return {
    read: (value) => {
      const read = hasWords ? searchTerms(value) : searchText(value);
      return read === null || read.length === 0 ? null : { [filter]: read };
    },
    inWords: (value) => `${label} ${value}`,
    problem: `The name of a ${label.toLowerCase()} must contain a letter or digit${hasWords ? ', and have at most 10 words' : ''}.`,
  };
}

function yesOrNo(yes: string, no: string, read: (isYes: boolean) => Partial<PhotoFilters>) {
  return {
    read: (value: string) => (value === 'yes' || value === 'no' ? read(value === 'yes') : null),
    inWords: (value: string) => (value === 'yes' ? yes : no),
  };
}

/** West, south, east, north in degrees; a box whose west is greater than its east crosses 180°. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** A box of an address, `-9.5,38.7,-9.1,38.8`; null when it is none. */
export function parseBox(text: string): Box | null {
  const parts = text.split(',');
  if (parts.length !== 4 || !parts.every((part) => /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(part))) return null;
  const [west = 0, south = 0, east = 0, north = 0] = parts.map(Number);
  const isInside =
    [west, east].every((at) => isWithin(longitudes, at)) && [south, north].every((at) => isWithin(latitudes, at));
  return isInside && south <= north ? [west, south, east, north] : null;
}

/** To about a metre. */
export function boxText(box: Box): string {
  return box.map((degrees) => Number(degrees.toFixed(5))).join();
}

/** `38.7° N to 38.8° N, 9.5° W to 9.1° W`; the text itself when it is no box. */
function boxInWords(text: string): string {
  const box = parseBox(text);
  if (box === null) return text;
  const [west, south, east, north] = box;
  const latitude = (degrees: number) => inWords(degrees, 'N', 'S');
  const longitude = (degrees: number) => inWords(degrees, 'E', 'W');
  return `${latitude(south)} to ${latitude(north)}, ${longitude(west)} to ${longitude(east)}`;
}

function inWords(degrees: number, positive: string, negative: string): string {
  const size = Number(Math.abs(degrees).toFixed(2));
  return `${size}°${size === 0 ? '' : ` ${degrees > 0 ? positive : negative}`}`;
}
