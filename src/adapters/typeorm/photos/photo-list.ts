import type { EntityManager } from 'typeorm';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { ListSort, PhotoFilters, PhotoQuery } from '../../../core/photos/photo-query.js';
import type { SimilarFilter } from '../../../core/photos/similar/similar-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Position } from '../../../core/shared/pagination.js';
import { type JsonRow, prepared, select } from '../database/sql.js';
import { nearPhotos } from '../similar/hash-search.js';
import { type PhotoCache, type StampedId, type StampedRow, stampColumns, stampedColumns } from './photo-cache.js';
import {
  contentTypesOf,
  facetsOf,
  type KeysetRange,
  keyColumns,
  keysetRangesAfter,
  keysWith,
  type NamedField,
  namedFields,
  orderOf,
  ownTimes,
  PhotoConditions,
  type PhotoOrder,
} from './photo-conditions.js';
import { taggedPhotoJson, taggedPhotoOf, tagsByName } from './photo-rows.js';

/**
 * The first photos that this query finds. Their tags are read in one pass: looked up photo by photo, they took three quarters of the
 * statement's time. The photos are looked up one by one: with a join, the whole table was read.
 */
const pageOf =
  (columns: (tags: string) => string): PageStatement =>
  (found, direction, limit) =>
    `WITH page AS MATERIALIZED (${found}), tagged AS (
    SELECT l.photo_id AS id, ${tagsByName} AS tags
    FROM photo_tags l JOIN tags t ON t.customer_id = $1 AND t.id = l.tag_id
    WHERE l.customer_id = $1 AND l.photo_id = ANY (ARRAY(SELECT id FROM page)) GROUP BY l.photo_id
  ) SELECT p.* FROM page LEFT JOIN tagged ON tagged.id = page.id CROSS JOIN LATERAL (
    SELECT ${columns('tagged.tags')} FROM photos p WHERE p.customer_id = $1 AND p.id = page.id OFFSET 0
  ) p ORDER BY page.value ${direction}, page.id ${direction} LIMIT ${limit}`;

const plainPageOf = pageOf((tags) => `${taggedPhotoJson(tags)} AS photo`);
const stampedPageOf = pageOf(stampedColumns);

/** The same photos by their stamps. */
const stampsOf: PageStatement = (found, direction, limit) =>
  `SELECT p.* FROM (${found}) page CROSS JOIN LATERAL (
    SELECT ${stampColumns} FROM photos p WHERE p.customer_id = $1 AND p.id = page.id OFFSET 0
  ) p ORDER BY page.value ${direction}, page.id ${direction} LIMIT ${limit}`;

type PageStatement = (found: string, direction: string, limit: number) => string;

/** One more than most clients request. The limit is part of the text: the planner must know that few rows are wanted. */
const USUAL: ReadonlySet<number> = new Set([51, 101, 201]);

/** @param cache Null in a transaction, which sees what others must not be shown. */
export async function listPhotos(
  manager: EntityManager,
  customerId: Id,
  query: PhotoQuery,
  cache: PhotoCache | null = null,
): Promise<readonly PhotoWithTags[]> {
  const plan = await planQueries(manager, { customerId, filters: query.filters, order: orderOf(query.sort) });
  const read = <Row>(statement: PageStatement) => readRows<Row>(manager, query, plan, statement);
  const how = query.window.limit > MAX_CACHED ? 'plain' : cache?.request(customerId, query);
  if (!cache || how === 'plain') {
    return (await read<{ photo: JsonRow }>(plainPageOf)).map(({ photo }) => taggedPhotoOf(photo));
  }
  const found = how === 'stamps' ? await cache.page(manager, customerId, await read<StampedId>(stampsOf)) : null;
  return found ?? cache.addPage(customerId, await read<StampedRow>(stampedPageOf));
}

/** Longer lists are those of work that reads whole libraries. */
const MAX_CACHED = 201;

async function readRows<Row>(
  manager: EntityManager,
  { filters, sort, window }: PhotoQuery,
  plan: readonly PlannedQuery[],
  statement: PageStatement,
): Promise<Row[]> {
  const order = orderOf(sort);
  const rows: Row[] = [];
  for (const range of keysetRangesAfter(order, window.after)) {
    const limit = window.limit - rows.length;
    if (limit <= 0) break;
    let page: Row[] = [];
    for (const planned of plan) {
      const found = planned(range, limit, page.length);
      if (found === null) continue;
      const sql = statement(found.sql, order.direction, limit);
      // One plan suits all that are restricted by nothing but the trash and the time that they are sorted by.
      const isUsual = USUAL.has(limit) && filterKindsOf({ filters, order }).length === 0;
      page = await select(manager, isUsual ? prepared(sql, true) : sql, found.values);
      if (page.length === limit) break;
    }
    rows.push(...page);
  }
  return rows;
}

export async function isUnmoved(
  manager: EntityManager,
  customerId: Id,
  { filters, sort, position }: { filters: PhotoFilters; sort: ListSort; position: Position },
): Promise<boolean> {
  const order = orderOf(sort);
  const list = await PhotoConditions.of(manager, customerId, filters);
  const value = position.value === null ? 'IS NULL' : `= ${list.place(order.value(position.value))}`;
  const here = `p.id = ${list.place(position.id)} AND p.${order.column} ${value}`;
  const rows = await select(manager, `SELECT 1 FROM photos p WHERE ${list.all(stateOf(filters), here)}`, list.values);
  return rows.length > 0;
}

export async function countPhotos(manager: EntityManager, customerId: Id, filters: PhotoFilters): Promise<number> {
  const list = await PhotoConditions.of(manager, customerId, filters);
  const { similar } = filters;
  const near = similar ? [`p.id IN (SELECT photo_id FROM (${nearPhotos(similar, list.place)}) near)`] : [];
  const sql = `SELECT count(*) AS photos FROM photos p WHERE ${list.all(stateOf(filters), ...near)}`;
  const [row] = await select<{ photos: number }>(manager, sql, list.values);
  return row?.photos ?? 0;
}

function stateOf(filters: PhotoFilters): string {
  return `(${trashStates(filters)
    .map((inState) => inState('p'))
    .join(' OR ')})`;
}

/** Number of photos that are checked in the order of the list before matches are searched for in another way. */
const MAX_SCANNED = 2_000;
/** A scan that found this fraction of a page continues: it will need about five times as many rows, and gets twice that. */
const MIN_YIELD = 1 / 5;

/**
 * One way to find a page, given how many photos the previous one found; null if it would be no better than the next. SQL for the first photos of
 * a keyset range, as `id` and the `value` that the list is sorted by; and its parameters.
 */
type PlannedQuery = (range: KeysetRange, limit: number, found: number) => { sql: string; values: unknown[] } | null;

interface List {
  readonly customerId: Id;
  readonly filters: PhotoFilters;
  readonly order: PhotoOrder;
}

/**
 * Returns the queries by which a list finds a page, in the order to try: a full page is the result, and so is whatever the last one finds. Each of
 * them reads a limited number of rows (docs/decisions/0011).
 */
async function planQueries(manager: EntityManager, list: List): Promise<readonly PlannedQuery[]> {
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
  if (mergeable && (alone === 'camera' || alone === 'creator')) {
    const keys = await keysWith(manager, customerId, alone, filters[alone] ?? '');
    if (keys !== null && keys.length <= MAX_MERGED) return [mergeScan(list, mergeSourceOfNames(alone, keys))];
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

/** The beginnings of more lists are not merged: each may have a page of its own. */
const MAX_MERGED = 100;

/** The filters of a list apart from the trash and the time that it is sorted by. */
type FilterKind =
  | ('similar' | 'ids' | 'sha256' | 'filename' | 'externalId' | 'import')
  | ('tag' | 'anyTag' | 'withoutTag' | NamedField | 'facets' | 'words' | 'box' | 'exposure' | 'times');

/** Few photos share a value: they are all read, whatever the order. */
const SELECTIVE: readonly FilterKind[] = ['ids', 'sha256', 'filename', 'externalId', 'import'];

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
    ...namedFields.map((field): [FilterKind, unknown] => [field, filters[field] || undefined]),
    ['facets', facetsOf(filters) ?? contentTypesOf(filters)],
    ['words', filters.words?.length || filters.placeWords?.length || filters.lensWords?.length || filters.country],
    ['exposure', filters.minIso ?? filters.maxIso ?? filters.minFocalLength35mm ?? filters.maxFocalLength35mm],
    ['box', filters.bbox],
    ...(['taken', 'created', 'updated'] as const)
      .filter((name) => order.column !== `${name}_at`)
      .map((name): [FilterKind, unknown] => ['times', filters[`${name}After`] ?? filters[`${name}Before`]]),
  ];
  return given.flatMap(([kind, value]) => (value === undefined ? [] : [kind]));
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

/** Finds the photos that are like another one, which their hashes alone tell; then they are looked up one by one. */
function nearFirst({ filters, order }: List, similar: SimilarFilter, conditions: PhotoConditions): PlannedQuery {
  return (range, limit) => {
    const all = conditions.copy();
    const value = order.column === 'distance' ? 'near.distance' : `p.${order.column}`;
    const sql = `WITH near AS MATERIALIZED (${nearPhotos(similar, all.place)}), matching AS MATERIALIZED (
        SELECT p.id, ${value} AS value FROM near CROSS JOIN LATERAL (
          SELECT p.* FROM photos p WHERE p.customer_id = $1 AND p.id = near.photo_id OFFSET 0
        ) p WHERE ${all.all(stateOf(filters), range(all.place, value, 'p.id'))}
      )
      SELECT id, value FROM matching ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
    return { sql, values: all.values };
  };
}

async function rarest(manager: EntityManager, customerId: Id, tagIds: readonly Id[]): Promise<Id | undefined> {
  const sql = 'SELECT tag_id AS id FROM tag_counts WHERE customer_id = $1 AND tag_id = ANY($2::bigint[])';
  const [tag] = await select<{ id: Id }>(manager, `${sql} ORDER BY photos LIMIT 1`, [customerId, tagIds]);
  return tag?.id;
}

function trashStates({ trashed }: PhotoFilters): TrashState[] {
  const outside: TrashState = (table) => `NOT ${table}.trashed`;
  const inside: TrashState = (table) => `${table}.trashed`;
  return { false: [outside], true: [inside], any: [outside, inside] }[trashed];
}

/** For a table or its alias: in the trash, or not. */
type TrashState = (table: string) => string;

/** A table with an index on a key and `createdAt`, and another on the key and `id`. */
interface MergeSource {
  readonly table: 'photos' | 'photo_tags';
  /** The column of the photo's id. */
  readonly id: 'id' | 'photo_id';
  /** A table `k` of the requested keys. */
  keys(place: (value: unknown) => string, state: TrashState): string;
  /** The condition on a row `r` that has the key of `k`. */
  readonly same: string;
}

function mergeSourceOfTags(tagIds: readonly Id[]): MergeSource {
  return {
    table: 'photo_tags',
    id: 'photo_id',
    keys: (place) => `unnest(${place(tagIds)}::bigint[]) AS k (tag_id)`,
    same: 'r.tag_id = k.tag_id',
  };
}

function mergeSourceOfNames(field: NamedField, names: readonly string[]): MergeSource {
  const { column, isGiven } = keyColumns[field];
  return {
    table: 'photos',
    id: 'id',
    keys: (place) => `unnest(${place(names)}::text[]) AS k (name)`,
    same: `r.${column} = k.name AND ${isGiven('r')}`,
  };
}

/** The facets and types of the customer's photos are found by a loose index scan: there are a few dozen at most. */
function mergeSourceOfFacets(filters: PhotoFilters): MergeSource {
  const [facets, types] = [facetsOf(filters), contentTypesOf(filters)];
  return {
    table: 'photos',
    id: 'id',
    keys: (place, state) => `(
      WITH RECURSIVE kinds AS (
        (SELECT p.facets, p.content_type FROM photos p WHERE p.customer_id = $1 AND ${state('p')}
         ORDER BY p.facets, p.content_type LIMIT 1)
        UNION ALL
        SELECT following.* FROM kinds, LATERAL (
          SELECT p.facets, p.content_type FROM photos p
          WHERE p.customer_id = $1 AND ${state('p')} AND (p.facets, p.content_type) > (kinds.facets, kinds.content_type)
          ORDER BY p.facets, p.content_type LIMIT 1
        ) following
      )
      SELECT * FROM kinds WHERE ${[
        facets === undefined ? 'true' : `facets = ANY(${place(facets)}::smallint[])`,
        types === undefined ? 'true' : `content_type = ANY(${place(types)}::text[])`,
      ].join(' AND ')}
    ) AS k`,
    same: 'r.facets = k.facets AND r.content_type = k.content_type',
  };
}
