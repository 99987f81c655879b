import type { EntityManager } from 'typeorm';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { ListSort, PhotoFilters, PhotoQuery } from '../../../core/photos/photo-query.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Position } from '../../../core/shared/pagination.js';
import type { JsonRow } from '../database/json-rows.js';
import { prepared } from '../database/prepared.js';
import { select } from '../database/rows.js';
import { taggedPhotoJson, taggedPhotoOf, tagsByName } from './photo.table.js';
import { PhotoConditions } from './photo-conditions.js';
import { keysetRangesAfter, orderOf } from './photo-order.js';
import { isUnfiltered, planQueries, trashStates } from './photo-query-plan.js';
import { nearPhotos } from './similar-photos.js';

/**
 * The first photos that this query finds. Their tags are read in one pass: looked up photo by photo, they took three quarters of the
 * statement's time. The photos are looked up one by one: with a join, the whole table was read.
 */
function pageOf(found: string, direction: string, limit: number): string {
  return `WITH page AS MATERIALIZED (${found}), tagged AS (
    SELECT l.photo_id AS id, ${tagsByName} AS tags
    FROM photo_tags l JOIN tags t ON t.customer_id = $1 AND t.id = l.tag_id
    WHERE l.customer_id = $1 AND l.photo_id = ANY (ARRAY(SELECT id FROM page)) GROUP BY l.photo_id
  ) SELECT p.photo FROM page LEFT JOIN tagged ON tagged.id = page.id CROSS JOIN LATERAL (
    SELECT ${taggedPhotoJson('tagged.tags')} AS photo FROM photos p WHERE p.customer_id = $1 AND p.id = page.id OFFSET 0
  ) p ORDER BY page.value ${direction}, page.id ${direction} LIMIT ${limit}`;
}

/** One more than most clients request. The limit is part of the text: the planner must know that few rows are wanted. */
const USUAL: ReadonlySet<number> = new Set([51, 101, 201]);

export async function listPhotos(manager: EntityManager, customerId: Id, query: PhotoQuery): Promise<PhotoWithTags[]> {
  const { filters, sort, window } = query;
  const order = orderOf(sort);
  const plan = await planQueries(manager, { customerId, filters, order });
  const photos: PhotoWithTags[] = [];
  for (const range of keysetRangesAfter(order, window.after)) {
    const limit = window.limit - photos.length;
    if (limit <= 0) break;
    let page: { photo: JsonRow }[] = [];
    for (const planned of plan) {
      const found = planned(range, limit, page.length);
      if (found === null) continue;
      const sql = pageOf(found.sql, order.direction, limit);
      const isUsual = isUnfiltered({ filters, order }) && USUAL.has(limit);
      page = await select(manager, isUsual ? prepared(sql) : sql, found.values);
      if (page.length === limit) break;
    }
    photos.push(...page.map(({ photo }) => taggedPhotoOf(photo)));
  }
  return photos;
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
