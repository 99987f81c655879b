import type { EntityManager } from 'typeorm';
import type { PhotoFilters } from '../../../core/photos/photo-query.js';
import type { SimilarFilter } from '../../../core/photos/similar/similar-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { select } from '../database/rows.js';
import { cameraKeys } from './photo-cameras.js';
import { contentTypesOf, ownTimes, PhotoConditions } from './photo-conditions.js';
import { facetsOf } from './photo-facets.js';
import {
  type MergeSource,
  mergeSourceOfCameras,
  mergeSourceOfFacets,
  mergeSourceOfTags,
  type TrashState,
} from './photo-merge-sources.js';
import type { KeysetRange, PhotoOrder } from './photo-order.js';
import { nearPhotos } from './similar-photos.js';

/** Number of photos that are checked in the order of the list before matches are searched for in another way. */
const MAX_SCANNED = 2_000;
/** A scan that found this fraction of a page continues: it will need about five times as many rows, and gets twice that. */
const MIN_YIELD = 1 / 5;

/** SQL for the first photos of a keyset range, as `id` and the `value` that the list is sorted by; and its parameters. */
export interface Sql {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** One way to find a page, given how many photos the previous one found; null if it would be no better than the next. */
export type PlannedQuery = (range: KeysetRange, limit: number, found: number) => Sql | null;

interface List {
  readonly customerId: Id;
  readonly filters: PhotoFilters;
  readonly order: PhotoOrder;
}

/**
 * How a list finds a page, in the order to try: a full page is the result, and so is whatever the last way finds. Each of them reads a
 * limited number of rows (docs/decisions/0011).
 */
export async function planQueries(manager: EntityManager, list: List): Promise<readonly PlannedQuery[]> {
  const { customerId, filters, order } = list;
  if (filters.similar !== undefined)
    return [nearFirst(list, filters.similar, await PhotoConditions.of(manager, customerId, filters))];
  const kinds = filterKindsOf(list);
  const [kind, ...others] = kinds;
  const alone = others.length === 0 ? kind : undefined;
  if (kind === undefined || (alone !== undefined && isIndexed(alone, order))) {
    return [indexScan(list, await PhotoConditions.of(manager, customerId, filters))];
  }
  const mergeable = order.column === 'created_at' || order.column === 'id';
  if (mergeable && alone === 'tag') return [mergeScan(list, mergeSourceOfTags(filters.tagIds ?? []))];
  if (mergeable && alone === 'anyTag') return [mergeScan(list, mergeSourceOfTags(filters.anyTagIds ?? []))];
  if (mergeable && alone === 'camera') {
    return [mergeScan(list, mergeSourceOfCameras(await cameraKeys(manager, customerId, filters.camera ?? '')))];
  }
  const conditions = await PhotoConditions.of(manager, customerId, filters);
  if (kinds.some((each) => SELECTIVE.includes(each))) return [filterFirst(list, conditions)];
  const tag = mergeable && kinds.includes('tag') ? await rarest(manager, customerId, filters.tagIds ?? []) : undefined;
  const scan = orderedScan(list, conditions, tag, MAX_SCANNED);
  if (mergeable && alone === 'facets' && !conditions.byLinks)
    return [scan, mergeScan(list, mergeSourceOfFacets(filters))];
  const longScan = orderedScan(list, conditions, tag, (2 * MAX_SCANNED) / MIN_YIELD);
  const longScanIfPromising: PlannedQuery = (range, limit, found) =>
    found < limit * MIN_YIELD ? null : longScan(range, limit, found);
  return [scan, longScanIfPromising, filterFirst(list, conditions)];
}

/** The filters of a list apart from the trash and the time that it is sorted by. */
type FilterKind =
  | ('similar' | 'ids' | 'sha256' | 'filename' | 'externalId' | 'import')
  | ('tag' | 'anyTag' | 'withoutTag' | 'camera' | 'facets' | 'words' | 'box' | 'exposure' | 'times');

/** Few photos share a value: they are all read, whatever the order. */
const SELECTIVE: readonly FilterKind[] = ['ids', 'sha256', 'filename', 'externalId', 'import'];

/** Whether the list is restricted by nothing but the trash and the time that it is sorted by: then one plan suits all. */
export function isUnfiltered(list: Omit<List, 'customerId'>): boolean {
  return filterKindsOf(list).length === 0;
}

function filterKindsOf({ filters, order }: Omit<List, 'customerId'>): FilterKind[] {
  const given: [FilterKind, unknown][] = [
    ['similar', filters.similar],
    ['ids', filters.ids],
    ['sha256', filters.sha256],
    ['filename', filters.filenameKey],
    ['externalId', filters.externalId],
    ['import', filters.importId],
    ...[...new Set(filters.tagIds)].map((id): [FilterKind, Id] => ['tag', id]),
    ['anyTag', filters.anyTagIds],
    ['withoutTag', filters.excludeTagIds],
    ['camera', filters.camera || undefined],
    ['facets', facetsOf(filters) ?? contentTypesOf(filters)],
    ['words', filters.words?.length || filters.placeWords?.length || filters.lensWords?.length || filters.country],
    ['exposure', exposureOf(filters)],
    ['box', filters.bbox],
    ...(['taken', 'created', 'updated'] as const)
      .filter((name) => order.column !== `${name}_at`)
      .map((name): [FilterKind, unknown] => ['times', filters[`${name}After`] ?? filters[`${name}Before`]]),
  ];
  return given.flatMap(([kind, value]) => (value === undefined ? [] : [kind]));
}

function exposureOf({ minIso, maxIso, minFocalLength35mm, maxFocalLength35mm }: PhotoFilters): number | undefined {
  return minIso ?? maxIso ?? minFocalLength35mm ?? maxFocalLength35mm;
}

/** Whether an index has the photos with one value of this filter in the order of the list. */
function isIndexed(kind: FilterKind, { column }: PhotoOrder): boolean {
  if (kind === 'filename') return ['created_at', 'id', 'filename_key'].includes(column);
  return (kind === 'externalId' || kind === 'import') && column === 'created_at';
}

/** Along the sort's index, applying the remaining filters. */
function indexScan({ filters, order }: List, conditions: PhotoConditions): PlannedQuery {
  return (range, limit) => {
    const all = conditions.copy();
    const beyond = range(all.place, `p.${order.column}`, 'p.id');
    const branches = trashStates(filters).map(
      (state) =>
        `(SELECT p.id, p.${order.column} AS value FROM photos p WHERE ${all.all(state('p'), beyond)}
          ${orderBy(order, 'p')} LIMIT ${limit})`,
    );
    return { sql: branches.join(' UNION ALL '), values: all.values };
  };
}

/** The beginnings of the lists of single keys, merged. */
function mergeScan({ customerId, filters, order }: List, { table, id, keys, same }: MergeSource): PlannedQuery {
  const value = order.column === 'id' ? id : order.column;
  return (range, limit) => {
    const { place, values } = PhotoConditions.none(customerId);
    const times = ownTimes(filters, order, place, `r.${value}`);
    const conditions = [range(place, `r.${value}`, `r.${id}`), ...times, same].join(' AND ');
    const branches = trashStates(filters).map(
      (state) =>
        `(SELECT DISTINCT found.id, found.value FROM ${keys(place, state)} CROSS JOIN LATERAL (
            SELECT r.${id} AS id, r.${value} AS value FROM ${table} r
            WHERE r.customer_id = $1 AND ${state('r')} AND ${conditions}
            ORDER BY r.${value} ${order.direction}, r.${id} ${order.direction} LIMIT ${limit}
          ) found ORDER BY found.value ${order.direction}, found.id ${order.direction} LIMIT ${limit})`,
    );
    return { sql: branches.join(' UNION ALL '), values };
  };
}

/** The matches among the next photos of the list, or of one tag: a complete result only if the page is full. */
function orderedScan(
  { filters, order }: List,
  conditions: PhotoConditions,
  tagId: Id | undefined,
  photos: number,
): PlannedQuery {
  return (range, limit) => {
    const all = conditions.copy();
    const next = (state: TrashState, value: string, id: string) =>
      [
        'n.customer_id = $1',
        state('n'),
        range(all.place, value, id),
        ...ownTimes(filters, order, all.place, value),
      ].join(' AND ');
    const ofAll = (state: TrashState) =>
      `(SELECT n.* FROM photos n WHERE ${next(state, `n.${order.column}`, 'n.id')} ${orderBy(order, 'n')} LIMIT ${photos})`;
    const ofTag = (state: TrashState) => {
      const value = order.column === 'id' ? 'n.photo_id' : `n.${order.column}`;
      return `(SELECT o.* FROM (
          SELECT n.* FROM photo_tags n WHERE n.tag_id = ${all.place(tagId)} AND ${next(state, value, 'n.photo_id')}
          ORDER BY ${value} ${order.direction}, n.photo_id ${order.direction} LIMIT ${photos}
        ) l JOIN photos o ON o.customer_id = l.customer_id AND o.id = l.photo_id AND o.created_at = l.created_at)`;
    };
    const branches = trashStates(filters).map(tagId === undefined ? ofAll : ofTag);
    const together = `ORDER BY p.${order.column} ${order.direction}, p.id ${order.direction}`;
    const sql = `SELECT p.id, p.${order.column} AS value
      FROM (SELECT p.* FROM (${branches.join(' UNION ALL ')}) p ${together} LIMIT ${photos}) p
      WHERE ${all.ofEach()} ${together} LIMIT ${limit}`;
    return { sql, values: all.values };
  };
}

/** All matches, by the index with the fewest rows; never along the sort, where a scan has already found too few. */
function filterFirst({ filters, order }: List, conditions: PhotoConditions): PlannedQuery {
  return (range, limit) => {
    const all = conditions.copy();
    const state = `p.trashed = ANY(${all.place(filters.trashed === 'any' ? [false, true] : [filters.trashed === 'true'])}::boolean[])`;
    const sql = `WITH matching AS MATERIALIZED (
        SELECT p.id, p.${order.column} AS value FROM photos p
        WHERE ${all.all(state, range(all.place, `p.${order.column}`, 'p.id'))}
      )
      SELECT id, value FROM matching ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
    return { sql, values: all.values };
  };
}

/**
 * `createdAt` correlates with the id, which alone determines the order, so that only the index of photos in or outside the trash is useful.
 */
function orderBy({ column, direction }: PhotoOrder, table: string): string {
  return `ORDER BY ${table}.${column} ${direction}, ${table}.${column === 'id' ? 'created_at' : 'id'} ${direction}`;
}

/** Those that are like another photo, which their hashes alone tell; then they are looked up one by one. */
function nearFirst({ filters, order }: List, similar: SimilarFilter, conditions: PhotoConditions): PlannedQuery {
  return (range, limit) => {
    const all = conditions.copy();
    const value = order.column === 'distance' ? 'near.distance' : `p.${order.column}`;
    const state = `(${trashStates(filters)
      .map((inState) => inState('p'))
      .join(' OR ')})`;
    const sql = `WITH near AS MATERIALIZED (${nearPhotos(similar, all.place)}), matching AS MATERIALIZED (
        SELECT p.id, ${value} AS value FROM near CROSS JOIN LATERAL (
          SELECT p.* FROM photos p WHERE p.customer_id = $1 AND p.id = near.photo_id OFFSET 0
        ) p WHERE ${all.all(state, range(all.place, value, 'p.id'))}
      )
      SELECT id, value FROM matching ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
    return { sql, values: all.values };
  };
}

/** By hand, like all statements of a list of photos. */
async function rarest(manager: EntityManager, customerId: Id, tagIds: readonly Id[]): Promise<Id | undefined> {
  const sql = 'SELECT tag_id AS id FROM tag_counts WHERE customer_id = $1 AND tag_id = ANY($2::bigint[])';
  const [tag] = await select<{ id: Id }>(manager, `${sql} ORDER BY photos LIMIT 1`, [customerId, tagIds]);
  return tag?.id;
}

export function trashStates({ trashed }: PhotoFilters): TrashState[] {
  const [outside, inside]: TrashState[] = [(table) => `NOT ${table}.trashed`, (table) => `${table}.trashed`];
  return ({ false: [outside], true: [inside], any: [outside, inside] } as Record<typeof trashed, TrashState[]>)[
    trashed
  ];
}
