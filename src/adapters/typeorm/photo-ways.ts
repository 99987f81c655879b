import type { EntityManager } from 'typeorm';
import type { PhotoFilters } from '../../core/photos/photo-query.js';
import type { Id } from '../../core/shared/ids.js';
import {
  type Branches,
  branchesOfCameras,
  branchesOfFacets,
  branchesOfTags,
  type TrashState,
} from './photo-branches.js';
import { cameraKeys } from './photo-cameras.js';
import { contentTypesOf, ownTimes, PhotoConditions } from './photo-conditions.js';
import { facetsOf } from './photo-facets.js';
import type { PhotoOrder, Stretch } from './photo-order.js';
import { select } from './rows.js';

/** So many photos in the order of the list are looked through before those that match are looked for elsewhere. */
const WALK = 2_000;
/** A walk that found this part of a page goes on: it will need about five times as far, and is given twice that. */
const PROMISING = 1 / 5;

/** SQL for the first photos of a stretch, as `id` and the `value` that the list is sorted by; and what stands in it. */
export interface Found {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** One way to find a page, after the one before found so many; null where it would be no better than the next. */
export type Way = (stretch: Stretch, limit: number, found: number) => Found | null;

interface List {
  readonly customerId: Id;
  readonly filters: PhotoFilters;
  readonly order: PhotoOrder;
}

/**
 * How a list finds a page, in the order to try: a page that is full is the page, and the last way's always is. Each of them
 * reads a number of rows that has a bound (docs/decisions/0011).
 */
export async function waysOf(manager: EntityManager, list: List): Promise<readonly Way[]> {
  const { customerId, filters, order } = list;
  const kinds = kindsOf(list);
  const [kind, ...others] = kinds;
  const alone = others.length === 0 ? kind : undefined;
  if (kind === undefined || (alone !== undefined && isIndexed(alone, order))) {
    return [inOrder(list, await PhotoConditions.of(manager, customerId, filters))];
  }
  const branched = order.column === 'created_at' || order.column === 'id';
  if (branched && alone === 'tag') return [merged(list, branchesOfTags(filters.tagIds ?? []))];
  if (branched && alone === 'anyTag') return [merged(list, branchesOfTags(filters.anyTagIds ?? []))];
  if (branched && alone === 'camera') {
    return [merged(list, branchesOfCameras(await cameraKeys(manager, customerId, filters.camera ?? '')))];
  }
  const conditions = await PhotoConditions.of(manager, customerId, filters);
  if (kinds.some((each) => POINTED.includes(each))) return [matching(list, conditions)];
  const tag = branched && kinds.includes('tag') ? await rarest(manager, customerId, filters.tagIds ?? []) : undefined;
  const walk = walked(list, conditions, tag, WALK);
  if (branched && alone === 'facets' && !conditions.byLinks) return [walk, merged(list, branchesOfFacets(filters))];
  const further = walked(list, conditions, tag, (2 * WALK) / PROMISING);
  const ifPromising: Way = (stretch, limit, found) =>
    found < limit * PROMISING ? null : further(stretch, limit, found);
  return [walk, ifPromising, matching(list, conditions)];
}

/** What a list is filtered by beside the trash and the time that it is sorted by. */
type Kind =
  | ('ids' | 'sha256' | 'filename' | 'externalId' | 'import')
  | ('tag' | 'anyTag' | 'withoutTag' | 'camera' | 'facets' | 'words' | 'box' | 'times');

/** Few photos have the same: they are read, whatever the order. */
const POINTED: readonly Kind[] = ['ids', 'sha256', 'filename', 'externalId', 'import'];

/** Whether nothing but the trash, and the time that it is sorted by, keeps a photo off the list: then one plan is right for all. */
export function isWhole(list: Omit<List, 'customerId'>): boolean {
  return kindsOf(list).length === 0;
}

function kindsOf({ filters, order }: Omit<List, 'customerId'>): Kind[] {
  const given: [Kind, unknown][] = [
    ['ids', filters.ids],
    ['sha256', filters.sha256],
    ['filename', filters.filenameKey],
    ['externalId', filters.externalId],
    ['import', filters.importId],
    ...[...new Set(filters.tagIds)].map((id): [Kind, Id] => ['tag', id]),
    ['anyTag', filters.anyTagIds],
    ['withoutTag', filters.excludeTagIds],
    ['camera', filters.camera || undefined],
    ['facets', facetsOf(filters) ?? contentTypesOf(filters)],
    ['words', filters.words?.length || undefined],
    ['box', filters.bbox],
    ...(['taken', 'created', 'updated'] as const)
      .filter((name) => order.column !== `${name}_at`)
      .map((name): [Kind, unknown] => ['times', filters[`${name}After`] ?? filters[`${name}Before`]]),
  ];
  return given.flatMap(([kind, value]) => (value === undefined ? [] : [kind]));
}

/** Whether an index has the photos of one value of this in the order of the list. */
function isIndexed(kind: Kind, { column }: PhotoOrder): boolean {
  if (kind === 'filename') return ['created_at', 'id', 'filename_key'].includes(column);
  return (kind === 'externalId' || kind === 'import') && column === 'created_at';
}

/** Along the sort's index, through whatever is left to filter. */
function inOrder({ filters, order }: List, conditions: PhotoConditions): Way {
  return (stretch, limit) => {
    const all = conditions.copy();
    const beyond = stretch(all.place, `p.${order.column}`, 'p.id');
    const branches = trashStates(filters).map(
      (state) =>
        `(SELECT p.id, p.${order.column} AS value FROM photos p WHERE ${all.all(state('p'), beyond)}
          ${sorted(order, 'p')} LIMIT ${limit})`,
    );
    return { sql: branches.join(' UNION ALL '), values: all.values };
  };
}

/** The beginnings of the lists of single keys, put together. */
function merged({ customerId, filters, order }: List, { table, id, keys, same }: Branches): Way {
  const value = order.column === 'id' ? id : order.column;
  return (stretch, limit) => {
    const { place, values } = PhotoConditions.none(customerId);
    const times = ownTimes(filters, order, place, `r.${value}`);
    const conditions = [stretch(place, `r.${value}`, `r.${id}`), ...times, same].join(' AND ');
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

/** What matches among the next photos of the list, or of one tag: all of a page only where it is full. */
function walked({ filters, order }: List, conditions: PhotoConditions, tagId: Id | undefined, photos: number): Way {
  return (stretch, limit) => {
    const all = conditions.copy();
    const next = (state: TrashState, value: string, id: string) =>
      [
        'n.customer_id = $1',
        state('n'),
        stretch(all.place, value, id),
        ...ownTimes(filters, order, all.place, value),
      ].join(' AND ');
    const ofAll = (state: TrashState) =>
      `(SELECT n.* FROM photos n WHERE ${next(state, `n.${order.column}`, 'n.id')} ${sorted(order, 'n')} LIMIT ${photos})`;
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

/** All that match, by whatever index has the fewest; never along the sort, for that is where a walk found too few. */
function matching({ filters, order }: List, conditions: PhotoConditions): Way {
  return (stretch, limit) => {
    const all = conditions.copy();
    const state = `p.trashed = ANY(${all.place(filters.trashed === 'any' ? [false, true] : [filters.trashed === 'true'])}::boolean[])`;
    const sql = `WITH matching AS MATERIALIZED (
        SELECT p.id, p.${order.column} AS value FROM photos p
        WHERE ${all.all(state, stretch(all.place, `p.${order.column}`, 'p.id'))}
      )
      SELECT id, value FROM matching ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
    return { sql, values: all.values };
  };
}

/** `createdAt` follows the id, which decides alone, so that no index serves but the one of the photos in the trash or out of it. */
function sorted({ column, direction }: PhotoOrder, table: string): string {
  return `ORDER BY ${table}.${column} ${direction}, ${table}.${column === 'id' ? 'created_at' : 'id'} ${direction}`;
}

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
