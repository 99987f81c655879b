import type { EntityManager } from 'typeorm';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { ListSort, PhotoFilters, PhotoQuery } from '../../../core/photos/photo-query.js';
import type { Id } from '../../../core/shared/ids.js';
import type { JsonShape } from '../../../core/shared/json-shape.js';
import type { Position } from '../../../core/shared/pagination.js';
import type { JsonRow } from '../database/json-rows.js';
import { prepared } from '../database/prepared.js';
import { select } from '../database/rows.js';
import { photoAsJson, taggedPhotoJson, taggedPhotoOf, tagsAsJson, tagsByName } from './photo.table.js';
import { PhotoConditions } from './photo-conditions.js';
import { keysetRangesAfter, orderOf } from './photo-order.js';
import { isUnfiltered, planQueries, trashStates } from './photo-query-plan.js';
import { nearPhotos } from './similar-photos.js';

/** What is read of the photos of a page, and as what. */
interface Form<T> {
  /** An expression of a photo `p` and `tagged.tags`. */
  readonly photo: string;
  /** An aggregate of the `tags t` of one photo. */
  readonly tags: string;
  /** @param photos Rows with `photo`, and the `value` and `id` that they are ordered by. */
  readonly select: (photos: string, direction: string) => string;
  // biome-ignore lint/suspicious/noExplicitAny: the rows of that SELECT.
  readonly read: (rows: any[]) => T[];
}

const objects: Form<PhotoWithTags> = {
  photo: taggedPhotoJson('tagged.tags'),
  tags: tagsByName,
  select: (photos, direction) => `SELECT photo FROM (${photos}) sorted ORDER BY value ${direction}, id ${direction}`,
  read: (rows: { photo: JsonRow }[]) => rows.map(({ photo }) => taggedPhotoOf(photo)),
};

/** In one value, one photo a line: JSON has no line breaks in it, and pg takes as long for each row as for the text of one. */
function jsonOf(shape: JsonShape): Form<string> {
  return {
    photo: photoAsJson(shape, 'tagged.tags'),
    tags: tagsAsJson,
    select: (photos, direction) =>
      `SELECT string_agg(photo, E'\n' ORDER BY value ${direction}, id ${direction}) AS photos FROM (${photos}) sorted`,
    read: ([row]: { photos: string | null }[]) => row?.photos?.split('\n') ?? [],
  };
}

/**
 * The first photos that this query finds. Their tags are read in one pass: looked up photo by photo, they took three quarters of the
 * statement's time. The photos are looked up one by one: with a join, the whole table was read.
 */
function pageOf<T>(
  found: string,
  { photo, tags, select: selectFrom }: Form<T>,
  direction: string,
  limit: number,
): string {
  const photos = `SELECT p.photo, page.value, page.id
    FROM page LEFT JOIN tagged ON tagged.id = page.id CROSS JOIN LATERAL (
      SELECT ${photo} AS photo FROM photos p WHERE p.customer_id = $1 AND p.id = page.id OFFSET 0
    ) p ORDER BY page.value ${direction}, page.id ${direction} LIMIT ${limit}`;
  return `WITH page AS MATERIALIZED (${found}), tagged AS (
    SELECT l.photo_id AS id, ${tags} AS tags
    FROM photo_tags l JOIN tags t ON t.customer_id = $1 AND t.id = l.tag_id
    WHERE l.customer_id = $1 AND l.photo_id = ANY (ARRAY(SELECT id FROM page)) GROUP BY l.photo_id
  ) ${selectFrom(photos, direction)}`;
}

/** One more than most clients request. The limit is part of the text: the planner must know that few rows are wanted. */
const USUAL: ReadonlySet<number> = new Set([51, 101, 201]);

export function listPhotos(manager: EntityManager, customerId: Id, query: PhotoQuery): Promise<PhotoWithTags[]> {
  return listed(manager, customerId, query, objects);
}

export function listPhotosAsJson(
  manager: EntityManager,
  customerId: Id,
  query: PhotoQuery,
  shape: JsonShape,
): Promise<string[]> {
  return listed(manager, customerId, query, jsonOf(shape));
}

async function listed<T>(manager: EntityManager, customerId: Id, query: PhotoQuery, form: Form<T>): Promise<T[]> {
  const { filters, sort, window } = query;
  const order = orderOf(sort);
  const plan = await planQueries(manager, { customerId, filters, order });
  const photos: T[] = [];
  for (const range of keysetRangesAfter(order, window.after)) {
    const limit = window.limit - photos.length;
    if (limit <= 0) break;
    let page: T[] = [];
    for (const planned of plan) {
      const found = planned(range, limit, page.length);
      if (found === null) continue;
      const sql = pageOf(found.sql, form, order.direction, limit);
      const isUsual = isUnfiltered({ filters, order }) && USUAL.has(limit);
      page = form.read(await select(manager, isUsual ? prepared(sql) : sql, found.values));
      if (page.length === limit) break;
    }
    photos.push(...page);
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
