/* @rest */
import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import type { PhotoFilters } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import { bumpPhotoVersions } from '../../src/core/tags/delete-tag.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { later } from '../support/samples.js';
import { Tenant } from '../support/tenant.js';

/** More than two statements take at once. */
const PHOTOS = 12_001;

let database: TestDatabase;
let source: DataSource;
let tenant: Tenant;
let all: Id;
let half: Id;
let none: Id;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

/** All photos have the first tag, every second one the second, none the third; the last photo is in the trash. */
beforeEach(async () => {
  tenant = await Tenant.of({
    store: new TypeormCustomerStore(source),
    customers: new TypeormCustomerDirectory(source),
  });
  [all, half, none] = (await tenant.addTags('all', 'half', 'none')).map(({ id }) => id) as [Id, Id, Id];
  await source.query(
    `INSERT INTO photos (customer_id, id, filename, filename_key, content_type, size_bytes, sha256, blob_key, width, height,
       orientation, rotation, alpha, taken_at_source, camera_key, metadata, damaged, trashed_at, created_at, updated_at,
       version, search)
     SELECT $1, n, 'a.jpg', 'a.jpg', 'image/jpeg', 1, 'hash ' || n, 'originals/' || n, 4, 3,
       1, 0, false, 'none', '', '{}', false, CASE WHEN n = $2 THEN now() END, now(), now(),
       1, array_to_tsvector(ARRAY[concat($1::bigint, ':word'), concat($1::bigint, '#', $3::bigint)]
         || CASE WHEN n % 2 = 0 THEN ARRAY[concat($1::bigint, '#', $4::bigint)] ELSE '{}' END)
     FROM generate_series(1, $2::integer) AS n`,
    [tenant.id, PHOTOS, all, half],
  );
  await source.query(
    `INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
     SELECT p.customer_id, p.id, tag_id, p.trashed, p.created_at FROM photos p, unnest(ARRAY[$2::bigint, $3::bigint]) AS tag_id
     WHERE p.customer_id = $1 AND (tag_id = $2 OR p.id % 2 = 0)`,
    [tenant.id, all, half],
  );
  await source.query(
    `UPDATE tag_counts n SET photos = (
       SELECT count(*) FROM photo_tags l JOIN photos p ON p.customer_id = l.customer_id AND p.id = l.photo_id
       WHERE l.customer_id = n.customer_id AND l.tag_id = n.tag_id AND NOT p.trashed
     ) WHERE customer_id = $1`,
    [tenant.id],
  );
  // As autovacuum does within a minute. Without statistics all indexes that begin with the customer cost the same, and any is taken.
  await source.query('ANALYZE photos, photo_tags');
});

/** What is stored of photos: how many there are with each set of tags by the links, by the search vector, and in each version. */
async function stored() {
  return source.query(
    `SELECT links, search, version, count(*)::integer AS photos FROM (
       SELECT version, array_remove(tsvector_to_array(search), concat(customer_id, ':word')) AS search, ARRAY(
         SELECT concat(l.customer_id, '#', l.tag_id) FROM photo_tags l
         WHERE l.customer_id = p.customer_id AND l.photo_id = p.id ORDER BY l.tag_id
       ) AS links FROM photos p WHERE customer_id = $1
     ) each GROUP BY links, search, version ORDER BY links, version`,
    [tenant.id],
  );
}

const lexemes = (...ids: readonly Id[]) => ids.map((id) => `${tenant.id}#${id}`);
const kind = (ids: readonly Id[], version: number, photos: number) => {
  return { links: lexemes(...ids), search: lexemes(...ids), version, photos };
};
const count = async (id: Id) => (await tenant.query(({ tags }) => tags.get(id)))?.photoCount;

test('more photos than one statement takes get another tag, each one new version', async () => {
  const merged = await tenant.transaction(async ({ taggedPhotos, tags }) => {
    await taggedPhotos.lockTagged([all, half], []);
    await tags.lock([all, half, none]);
    return tags.merge([all, half], none, later(0));
  });
  expect(merged).toMatchObject({ added: PHOTOS - 1, unchanged: 0 });
  expect(new Set(merged.changed).size).toBe(PHOTOS);
  expect(await stored()).toEqual([kind([none], 2, PHOTOS)]);
  expect([await count(all), await count(half), await count(none)]).toEqual([undefined, undefined, PHOTOS - 1]);
});

test('more photos than one statement takes get a tag in a merge, except those that have it already', async () => {
  const merged = await tenant.transaction(async ({ taggedPhotos, tags }) => {
    await taggedPhotos.lockTagged([all], []);
    await tags.lock([all, half]);
    return tags.merge([all], half, later(0));
  });
  expect(merged).toMatchObject({ added: (PHOTOS - 1) / 2, unchanged: (PHOTOS - 1) / 2 });
  expect(new Set(merged.changed).size).toBe(PHOTOS);
  expect(await stored()).toEqual([kind([half], 2, PHOTOS)]);
  expect([await count(all), await count(half)]).toEqual([undefined, PHOTOS - 1]);
});

test('more photos than one statement takes lose a tag that is deleted', async () => {
  await tenant.transaction(({ tags }) => tags.delete(all, later(0)));
  expect(await stored()).toEqual([kind([], 2, (PHOTOS + 1) / 2), kind([half], 2, (PHOTOS - 1) / 2)]);
  expect([await count(all), await count(half)]).toEqual([undefined, (PHOTOS - 1) / 2]);
});

describe('where their new versions come later', () => {
  const renew = () =>
    bumpPhotoVersions({ store: new TypeormCustomerStore(source), clock: new SettableClock() }, tenant.id);
  /** How many photos the first page of a list has. */
  const found = async (filters: Partial<PhotoFilters>) => {
    const query = { filters: { trashed: 'any', ...filters }, sort: 'id', window: { after: null, limit: 50 } } as const;
    return (await tenant.query(({ photos }) => photos.list(query))).length;
  };
  const searched = (...words: readonly string[]) => found({ words });

  test('a deleted tag is in the search column until then, and no search finds it', async () => {
    await tenant.transaction(({ tags }) => tags.delete(all, null));
    const odd = { links: [], search: lexemes(all), version: 1, photos: (PHOTOS + 1) / 2 };
    const even = { links: lexemes(half), search: lexemes(all, half), version: 1, photos: (PHOTOS - 1) / 2 };
    expect(await stored()).toEqual([odd, even]);
    expect([await searched('all'), await searched('half'), await found({ untagged: true })]).toEqual([0, 50, 50]);
    await renew();
    expect(await stored()).toEqual([kind([], 2, (PHOTOS + 1) / 2), kind([half], 2, (PHOTOS - 1) / 2)]);
    expect([await searched('all'), await searched('half'), await found({ untagged: true })]).toEqual([0, 50, 50]);
  });

  test('a merged tag is in the search column until then, and photos are found by the tag that stays', async () => {
    const merged = await tenant.transaction(async ({ taggedPhotos, tags }) => {
      await taggedPhotos.lockTagged([all, half], []);
      await tags.lock([all, half, none]);
      return tags.merge([all, half], none, null);
    });
    expect(merged).toEqual({ changed: [], added: PHOTOS - 1, unchanged: 0 });
    expect([await searched('none'), await searched('half'), await found({ untagged: true })]).toEqual([50, 0, 0]);
    expect(await count(none)).toBe(PHOTOS - 1);
    await renew();
    expect(await stored()).toEqual([kind([none], 2, PHOTOS)]);
    expect([await searched('none'), await count(none)]).toEqual([50, PHOTOS - 1]);
  });
});
