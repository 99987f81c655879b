/* @slow @rest */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { measured, type Plan } from '../../bench/scale/rows-read.mjs';
import { withoutTransaction } from '../../src/adapters/typeorm/database/transaction.js';
import { listPhotos } from '../../src/adapters/typeorm/photos/photo-list.js';
import { type PhotoFilters, type PhotoSort, photoPosition, photoSorts } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Position } from '../../src/core/shared/pagination.js';
import { largeLibrary } from '../support/large-library.js';
import type { TestDatabase } from '../support/postgres.js';
import { present } from '../support/tenant.js';
import { plainCondition } from './plain-photo-filters.js';

const PHOTOS = 30_000;
const LIMIT = 51;
/** A walk of 2,000, a page out of each of some dozens of indexed lists, and what a page shows: far below PHOTOS. */
const MOST_ROWS = 6_000;
const MOST_BLOCKS = 5_000;
/** How far a walk goes on that found a part of the page, as it may where more than a few match. */
const FURTHER = 20_000;

const cases: Record<string, object> = JSON.parse(readFileSync(join(__dirname, '../../bench/scale/cases.json'), 'utf8'));
const named = (test: (name: string) => boolean) => Object.keys(cases).filter(test);
/** What has no order that a list is in: behind the walk, whatever matches is read (docs/decisions/0011). */
const matched = named((name) => /^(q,|bbox|taken|created|updated)/.test(name));
const combined = named((name) => / and |together/.test(name));
const bounded = named((name) => ![...matched, ...combined, 'excludeTagIds, the newest photos'].includes(name));

let database: TestDatabase;
let source: DataSource;
let customerId: Id;
let filters: (name: string) => PhotoFilters;

beforeAll(async () => {
  ({ database, source, customerId, filters } = await largeLibrary(PHOTOS, cases));
  orders = new Map(await Promise.all(photoSorts.map(async (sort) => [sort, await orderOf(sort)] as const)));
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

/** All photos of the customer in the order of a sort, by id. */
let orders: Map<PhotoSort, readonly Id[]>;

async function orderOf(sort: PhotoSort): Promise<readonly Id[]> {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const columns = { filename: 'filename_key', sizeBytes: 'size_bytes', takenAt: 'taken_at', updatedAt: 'updated_at' };
  const column = { ...columns, createdAt: 'created_at', id: 'id' }[sort.replace('-', '')];
  const sql = `SELECT id FROM photos WHERE customer_id = $1 ORDER BY ${column} ${direction} NULLS LAST, id ${direction}`;
  return idsOf(sql, [customerId]);
}

async function idsOf(sql: string, values: readonly unknown[]): Promise<Id[]> {
  const rows: { id: Id }[] = await source.query(sql, [...values]);
  return rows.map(({ id }) => id);
}

const listed = new Map<string, Promise<ReadonlySet<Id>>>();

/** The whole list, as it is found by looking at each photo. */
async function plainList(name: string, sort: PhotoSort): Promise<readonly Id[]> {
  const { sql, values } = plainCondition(customerId, filters(name));
  const matching =
    listed.get(name) ?? idsOf(`SELECT p.id FROM photos p WHERE ${sql}`, values).then((ids) => new Set(ids));
  listed.set(name, matching);
  const ids = await matching;
  return present(orders.get(sort)).filter((id) => ids.has(id));
}

const page = (name: string, sort: PhotoSort, after: Position | null) =>
  withoutTransaction(source, (manager) => measured(manager, (explained) => list(explained, name, sort, after)));

const list = (manager: EntityManager, name: string, sort: PhotoSort, after: Position | null) =>
  listPhotos(manager, customerId, { filters: filters(name), sort, window: { after, limit: LIMIT } });

async function positionOf(id: Id, sort: PhotoSort): Promise<Position> {
  const only = { ids: [id], trashed: 'any' } as const;
  const window = { after: null, limit: 1 };
  const [photo] = await withoutTransaction(source, (manager) =>
    listPhotos(manager, customerId, { filters: only, sort: 'id', window }),
  );
  return photoPosition(present(photo), sort);
}

test.each(Object.keys(cases))('%s: the pages of every sort are those of a plain look at every photo', async (name) => {
  for (const sort of photoSorts) {
    const all = await plainList(name, sort);
    for (const start of [0, Math.floor(all.length / 2)]) {
      const after = start === 0 ? null : await positionOf(present(all[start - 1]), sort);
      const photos = await withoutTransaction(source, (manager) => list(manager, name, sort, after));
      expect(photos.map((photo) => photo.id)).toEqual(all.slice(start, start + LIMIT));
    }
  }
});

describe.each(['-createdAt', 'createdAt', 'id', '-id'] as const)('sorted by %s', (sort) => {
  test.each(bounded)('%s: a page reads what a page needs, not the library', async (name) => {
    const all = await plainList(name, sort);
    for (const start of [0, Math.floor(all.length / 2)]) {
      const after = start === 0 ? null : await positionOf(present(all[start - 1]), sort);
      const { rows, blocks, answer } = await page(name, sort, after);
      expect(answer).toHaveLength(Math.min(LIMIT, all.length - start));
      expect(rows).toBeLessThan(MOST_ROWS);
      expect(blocks).toBeLessThan(MOST_BLOCKS);
    }
  });

  test.each(matched)('%s: a page reads what a page needs, or what matches', async (name) => {
    const { length } = await plainList(name, sort);
    const { rows } = await page(name, sort, null);
    const further = length > PHOTOS / 500 ? FURTHER : 0;
    expect(rows).toBeLessThan(MOST_ROWS + further + 3 * length);
  });
});

test.each(photoSorts)('sorted by %s: without a filter, a page is the beginning of an index', async (sort) => {
  for (const name of ['no filter', 'trashed true', 'trashed any']) {
    const { rows, blocks } = await page(name, sort, null);
    expect(rows).toBeLessThan(20 * LIMIT);
    expect(blocks).toBeLessThan(30 * LIMIT);
  }
});

/** Each was made for these pages; without it they would be right, and read more and more as the library grows. */
test.each([
  ['photos_id', 'no filter', 'id'],
  ['photos_created_at', 'no filter', '-createdAt'],
  ['photos_facets_created_at', 'minRating 5', '-createdAt'],
  ['photos_facets_id', 'minRating 5', '-id'],
  ['photos_camera_created_at', 'camera, every', '-createdAt'],
  ['photos_camera_id', 'camera, every', 'id'],
  ['photos_creator_created_at', 'creator, every', '-createdAt'],
  ['photos_creator_id', 'creator, every', 'id'],
  ['photos_facets_created_at', 'favorite true', '-createdAt'],
  ['photos_filename_created_at', 'filename, frequent', '-createdAt'],
  ['photos_filename', 'filename, frequent', 'id'],
  ['photos_external_id', 'externalId, shared', '-createdAt'],
  ['photos_import', 'importId', '-createdAt'],
  ['photo_tags_created_at', 'tagIds, frequent', '-createdAt'],
  ['photo_tags_tag', 'tagIds, frequent', 'id'],
  ['photos_search', 'q, in one photo', '-createdAt'],
  ['photos_location', 'bbox, a town', '-createdAt'],
  ['photos_taken_at', 'taken in a week', '-createdAt'],
  ['photos_updated_at', 'updatedBefore', '-createdAt'],
] as const)('%s serves: %s, sorted by %s', async (index, name, sort) => {
  const { plans } = await page(name, sort, null);
  expect(plans.flatMap(indexesOf)).toContain(index);
});

function indexesOf(plan: Plan): string[] {
  return [...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]), ...(plan.Plans ?? []).flatMap(indexesOf)];
}
