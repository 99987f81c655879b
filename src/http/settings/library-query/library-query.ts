import type { Caller } from '../../../core/access/caller.js';
import { fromWallClock } from '../../../core/media/capture-time.js';
import type { TwoWaySort } from '../../../core/photos/list-photos.js';
import { MAX_SEARCH_WORDS, type PhotoFilters, searchTerms } from '../../../core/photos/photo-query.js';
import type { Ports } from '../../../core/ports.js';
import { DAY } from '../../../core/shared/clock.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { listTags } from '../../../core/tags/read-tag.js';
import { nameKeyOf } from '../../../core/tags/tag.js';
import { type PanelValues, panelFilters, readPanel } from './panel-filters.js';
import { filterSimilar } from './similar-filter.js';

export const librarySorts = [
  ['-takenAt', 'Newest first'],
  ['takenAt', 'Oldest first'],
  ['-createdAt', 'Recently added'],
  ['filename', 'By file name'],
] as const satisfies readonly (readonly [TwoWaySort, string])[];
type LibrarySort = (typeof librarySorts)[number][0];

/** The query of the library page, from its address. Empty: not set. */
export interface LibraryQuery {
  readonly q: string;
  /** Name of a tag, case-insensitive. */
  readonly tag: string;
  /** First and last day on which photos were taken, `2026-11-21`, in the account's time zone. */
  readonly from: string;
  readonly to: string;
  readonly sort: LibrarySort;
  readonly trash: boolean;
  readonly importId: Id | null;
  /** The photo that others look like. */
  readonly similarTo: Id | null;
  /** What the filter panel narrows by besides. */
  readonly panel: PanelValues;
}

type RawQuery = Readonly<Record<string, unknown>>;

export function readLibraryQuery(query: RawQuery): LibraryQuery {
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

export interface LibraryFilters {
  /** Null when no photo can match. */
  readonly filters: PhotoFilters | null;
  /** Parts of the query that could not be parsed, in sentences; the rest is in the filters. */
  readonly problems: readonly string[];
}

/** The query as the filters of the API. */
export async function libraryFilters(ports: Ports, caller: Caller, query: LibraryQuery): Promise<LibraryFilters> {
  const words = query.q === '' ? [] : searchTerms(query.q);
  const zone =
    query.from || query.to ? ((await ports.customers.find(caller.customerId))?.defaultTimeZone ?? 'UTC') : '';
  const [from, to] = [startOfDay(query.from, zone), startOfDay(query.to, zone)];
  const tagIds = query.tag === '' ? [] : await tagNamed(ports, caller, query.tag);
  const panel = panelFilters(query.panel);
  const similar = query.similarTo === null ? {} : await filterSimilar(ports, caller, query.similarTo);
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
    ...similar,
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
