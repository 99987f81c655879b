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

/** SQL for the first photos of a stretch, as `id` and the `value` that the list is sorted by; and what stands in it. */
export interface Found {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** One way to find a page. */
export type Way = (stretch: Stretch, limit: number) => Found;

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
  const walk = walked(list, conditions, tag);
  return [walk, branched && alone === 'facets' ? merged(list, branchesOfFacets(filters)) : matching(list, conditions)];
}

/** What a list is filtered by beside the trash and the time that it is sorted by. */
type Kind =
  | ('ids' | 'sha256' | 'filename' | 'externalId' | 'import')
  | ('tag' | 'anyTag' | 'withoutTag' | 'camera' | 'facets' | 'words' | 'box' | 'times');

/** Few photos have the same: they are read, whatever the order. */
const POINTED: readonly Kind[] = ['ids', 'sha256', 'filename', 'externalId', 'import'];

function kindsOf({ filters, order }: List): Kind[] {
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
          ORDER BY p.${order.column} ${order.direction}, p.id ${order.direction} LIMIT ${limit})`,
    );
    return { sql: branches.join(' UNION ALL '), values: all.values };
  };
}

/** The beginnings of the lists of single keys, put together. */
function merged({ customerId, filters, order }: List, { table, id, keys, same }: Branches): Way {
  const column = order.column === 'id' ? id : order.column;
  const sorted = (by: string, then: string) => `ORDER BY ${by} ${order.direction}, ${then} ${order.direction}`;
  return (stretch, limit) => {
    const { place, values } = PhotoConditions.none(customerId);
    const demands = [stretch(place, `r.${column}`, `r.${id}`), ...ownTimes(filters, order, place, `r.${column}`)];
    const branches = trashStates(filters).map(
      (state) =>
        `(SELECT DISTINCT found.id, found.value FROM ${keys(place, state)} CROSS JOIN LATERAL (
            SELECT r.${id} AS id, r.${column} AS value FROM ${table} r
            WHERE ${['r.customer_id = $1', state('r'), same, ...demands].join(' AND ')}
            ${sorted(`r.${column}`, `r.${id}`)} LIMIT ${limit}
          ) found ${sorted('found.value', 'found.id')} LIMIT ${limit})`,
    );
    return { sql: branches.join(' UNION ALL '), values };
  };
}

/** What matches among the next photos of the list, or of one tag: all of a page only where it is full. */
function walked({ filters, order }: List, conditions: PhotoConditions, tagId: Id | undefined): Way {
  const { column, direction } = order;
  return (stretch, limit) => {
    const all = conditions.copy();
    const next = (table: string, value: string, id: string, state: TrashState, key: readonly string[]) =>
      `FROM ${table} n WHERE ${[
        'n.customer_id = $1',
        state('n'),
        ...key,
        stretch(all.place, `n.${value}`, `n.${id}`),
        ...ownTimes(filters, order, all.place, `n.${value}`),
      ].join(' AND ')} ORDER BY n.${value} ${direction}, n.${id} ${direction} LIMIT ${WALK}`;
    const branches = trashStates(filters).map((state) => {
      if (tagId === undefined) return `(SELECT n.* ${next('photos', column, 'id', state, [])})`;
      const key = [`n.tag_id = ${all.place(tagId)}`];
      const links = next('photo_tags', column === 'id' ? 'photo_id' : column, 'photo_id', state, key);
      return `(SELECT o.* FROM (SELECT n.* ${links}) l JOIN photos o ON o.customer_id = l.customer_id AND o.id = l.photo_id)`;
    });
    const sorted = `ORDER BY p.${column} ${direction}, p.id ${direction}`;
    const sql = `SELECT p.id, p.${column} AS value
      FROM (SELECT p.* FROM (${branches.join(' UNION ALL ')}) p ${sorted} LIMIT ${WALK}) p
      WHERE ${all.all()} ${sorted} LIMIT ${limit}`;
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
