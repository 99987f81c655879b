import { randomInt } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { searchQuery } from '../../src/adapters/typeorm/photos/photo-search.js';
import type { Photo, PhotoWithTags } from '../../src/core/photos/photo.js';
import { type PhotoFilters, photoPosition, photoSorts, searchTerms } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Position } from '../../src/core/shared/pagination.js';
import { compareText, foldKey, searchWords } from '../../src/core/shared/text.js';
import type { Repositories } from '../../src/core/shared/transactional.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleCustomer, samplePhoto } from '../support/samples.js';
import { searchedTexts } from '../support/searched-texts.js';

const at = new Date('2026-11-21T03:04:05.123Z');

let database: TestDatabase;
let source: DataSource;
let store: TypeormCustomerStore;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  store = new TypeormCustomerStore(source);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

async function newCustomer(): Promise<Id> {
  const customers = new TypeormCustomerDirectory(source);
  return (await customers.transaction((creation) => creation.insert(sampleCustomer()))).id;
}

async function addPhoto(customerId: Id, values: Partial<Photo> = {}, tagIds: readonly Id[] = []): Promise<Photo> {
  const [id = 0] = await store.transaction(customerId, ({ importPhotos }) => importPhotos.allocateIds(1));
  const photo = { ...photoWith(customerId, id), ...values };
  await expect(store.transaction(customerId, ({ photos }) => photos.insert(photo, tagIds, {}))).resolves.toBe(true);
  return photo;
}

async function addTag(customerId: Id, name: string): Promise<Id> {
  const tag = { name, nameKey: foldKey(name), color: null, description: null, createdAt: at };
  return (await store.transaction(customerId, ({ tags }) => tags.insert(tag)))?.id ?? 0;
}

function photoWith(customerId: Id, id: Id): Photo {
  return samplePhoto(customerId, id, { width: 40, height: 30, createdAt: at, updatedAt: at });
}

function compare(a: Position, b: Position, direction: 1 | -1): number {
  if (a.value === b.value) return direction * (a.id - b.id);
  if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
  const order = typeof a.value === 'string' ? compareText(a.value, String(b.value)) : a.value - Number(b.value);
  return direction * order;
}

describe.each(photoSorts)('a walk sorted by %s', (sort) => {
  let customerId: Id;
  let all: PhotoWithTags[];

  beforeAll(async () => {
    customerId = await newCustomer();
    const instants = [at, new Date(at.getTime() + 1), new Date('1969-12-31T23:59:59.999Z'), new Date(-62198755200000)];
    const names = ['a', 'B', 'é', '\u{1f4f7}', '\uff21', 'z'];
    const photos: Photo[] = [];
    for (let count = 0; count < 40; count += 1) {
      const takenAt = randomInt(3) === 0 ? null : (instants[randomInt(4)] ?? null);
      const values = { filename: names[randomInt(6)] ?? '', sizeBytes: randomInt(4) * 2 ** 40, takenAt };
      const times = { createdAt: instants[randomInt(2)] ?? at, updatedAt: instants[randomInt(2)] ?? at };
      photos.push(await addPhoto(customerId, { ...values, ...times, trashedAt: randomInt(3) === 0 ? at : null }));
    }
    await addPhoto(await newCustomer());
    all = photos.map((photo) => ({ ...photo, tags: [] }));
  });

  test.each(['any', 'false', 'true'] as const)('meets every photo with trashed=%s once, in order', async (trashed) => {
    const walked: PhotoWithTags[] = [];
    let after: Position | null = null;
    for (;;) {
      const window: { after: Position | null; limit: number } = { after, limit: 7 };
      const page = await store.query(customerId, ({ photos }) => photos.list({ filters: { trashed }, sort, window }));
      walked.push(...page);
      const last: PhotoWithTags | undefined = page.at(-1);
      if (last === undefined) break;
      after = photoPosition(last, sort);
      const here = after;
      const unmoved = await store.query(customerId, ({ photos }) => photos.hasRowAt({ trashed }, sort, here));
      expect(unmoved).toBe(true);
    }
    const direction = sort.startsWith('-') ? -1 : 1;
    const expected = all
      .filter(({ trashedAt }) => trashed === 'any' || (trashedAt !== null) === (trashed === 'true'))
      .sort((a, b) => compare(photoPosition(a, sort), photoPosition(b, sort), direction));
    expect(walked).toEqual(expected);
  });
});

describe('words', () => {
  const find = async (customerId: Id, query: string) => {
    const filters: PhotoFilters = { words: searchWords(query), trashed: 'false' };
    const window = { after: null, limit: 100 };
    const found = await store.query(customerId, ({ photos }) => photos.list({ filters, sort: 'id', window }));
    return found.map(({ id }) => id);
  };

  test('are found by their beginnings, in names, titles, descriptions and tags together', async () => {
    const customerId = await newCustomer();
    const tagId = await addTag(customerId, 'Sommer in Zürich');
    const tagged = await addPhoto(customerId, { filename: 'Élan-7.jpg', title: "l'été" }, [tagId]);
    const plain = await addPhoto(customerId, { description: 'Zurich, in the summer: 雪 and \\backslashes\\' });
    expect(await find(customerId, 'ZÜR')).toEqual([tagged.id, plain.id]);
    expect(await find(customerId, 'elan zur som')).toEqual([tagged.id]);
    expect(await find(customerId, 'urich')).toEqual([]);
    expect(await find(customerId, '雪 back')).toEqual([plain.id]);
    expect(await find(customerId, 'x'.repeat(200))).toEqual([]);
    expect(await find(await newCustomer(), 'zur')).toEqual([]);
    await store.transaction(customerId, ({ tags }) => tags.delete(tagId, at));
    expect(await find(customerId, 'som')).toEqual([]);
    expect(await find(customerId, 'elan')).toEqual([tagged.id]);
  });

  test('follow the photo’s changes, and those of its tags and their names', async () => {
    const customerId = await newCustomer();
    const [first, second] = [await addTag(customerId, 'first'), await addTag(customerId, 'second')];
    const photo = await addPhoto(customerId, { title: 'before' }, [first]);
    await store.transaction(customerId, async ({ photos, tags }) => {
      await photos.lock([photo.id]);
      await photos.setTags(photo.id, [second]);
      await photos.update({ ...photo, title: 'after' });
      const tag = await tags.get(second);
      if (tag) await tags.update({ ...tag, name: 'renamed', nameKey: 'renamed' });
    });
    expect(await find(customerId, 'after renamed')).toEqual([photo.id]);
    for (const gone of ['before', 'first', 'second']) expect(await find(customerId, gone)).toEqual([]);
  });

  test('may be longer than an index takes', async () => {
    const customerId = await newCustomer();
    const photo = await addPhoto(customerId, { description: '\u{20000}'.repeat(10_000), title: 'q'.repeat(255) });
    expect(await find(customerId, '\u{20000}'.repeat(200))).toEqual([photo.id]);
    expect(await find(customerId, 'q'.repeat(255))).toEqual([photo.id]);
    expect(await find(customerId, 'q'.repeat(256))).toEqual([]);
  });
});

test('a caller that holds the only connection reads single photos by it', async () => {
  const customerId = await newCustomer();
  const { id } = await addPhoto(customerId);
  const narrow = await openDataSource({ ...database, poolSize: 1 });
  try {
    const read = new TypeormCustomerStore(narrow).query(customerId, async (reader) => {
      const { id: own } = await reader.customer.read();
      return [own, (await reader.photos.get(id))?.id, (await reader.photos.getVisible(id))?.id];
    });
    expect(await read).toEqual([customerId, id, id]);
  } finally {
    await narrow.destroy();
  }
});

test('counts of tags are those of the links, whatever happens at once', async () => {
  const customerId = await newCustomer();
  const tagIds: Id[] = [];
  for (let count = 0; count < 6; count += 1) tagIds.push(await addTag(customerId, `tag ${count}`));
  const some = () => tagIds.filter(() => randomInt(2) === 0);
  const photos: Photo[] = [];
  for (let count = 0; count < 8; count += 1) photos.push(await addPhoto(customerId, {}, some()));
  const anyPhoto = () => photos[randomInt(photos.length)]?.id ?? 0;
  const acts = [
    async () => void (await addPhoto(customerId, { trashedAt: randomInt(2) === 0 ? at : null }, some())),
    () =>
      store.transaction(customerId, async ({ photos }) => {
        const [photo] = await photos.lock([anyPhoto()]);
        if (photo) await photos.update({ ...photo, trashedAt: photo.trashedAt === null ? at : null });
      }),
    () =>
      store.transaction(customerId, async (transaction) => {
        const [photo] = await transaction.photos.lock([anyPhoto()]);
        const held = await transaction.tags.lock(some());
        if (photo)
          await transaction.photos.setTags(
            photo.id,
            held.map(({ id }) => id),
          );
      }),
  ];
  await Promise.all(Array.from({ length: 60 }, () => acts[randomInt(acts.length)]?.()));
  const [last = 0] = tagIds;
  await Promise.all([
    store.transaction(customerId, ({ tags }) => tags.delete(last, at)),
    store.transaction(customerId, async ({ photos }) => {
      const [photo] = await photos.lock([anyPhoto()]);
      if (photo) await photos.delete(photo.id);
    }),
    addPhoto(customerId, {}, tagIds),
  ]);
  const wrong = await source.query(
    `SELECT n.tag_id, n.photos, count(p.id) FROM tag_counts n
     LEFT JOIN photo_tags l ON l.customer_id = n.customer_id AND l.tag_id = n.tag_id
     LEFT JOIN photos p ON p.customer_id = l.customer_id AND p.id = l.photo_id AND NOT p.trashed
     WHERE n.customer_id = $1 GROUP BY n.customer_id, n.tag_id HAVING n.photos <> count(p.id)`,
    [customerId],
  );
  expect(wrong).toEqual([]);
  const lexemes = await source.query(
    `SELECT p.id FROM photos p WHERE p.customer_id = $1 AND
       ARRAY(SELECT lexeme FROM unnest(p.search) WHERE lexeme LIKE $1 || '#%' ORDER BY lexeme COLLATE "C") <>
       ARRAY(SELECT concat($1::bigint, '#', tag_id) COLLATE "C" AS lexeme FROM photo_tags l
             WHERE l.customer_id = p.customer_id AND l.photo_id = p.id ORDER BY lexeme)`,
    [customerId],
  );
  expect(lexemes).toEqual([]);
  expect(await outOfStep(customerId)).toEqual([]);
});

/** Photos whose links or facets say something else than the photo and its links do. */
async function outOfStep(customerId: Id): Promise<unknown[]> {
  return source.query(
    `SELECT p.id FROM photos p WHERE p.customer_id = $1 AND (
       EXISTS (
         SELECT FROM photo_tags l WHERE l.customer_id = p.customer_id AND l.photo_id = p.id
           AND (l.trashed, l.created_at) <> (p.trashed_at IS NOT NULL, p.created_at)
       ) OR p.facets % 2 <> (
         SELECT least(count(*), 1) FROM photo_tags l WHERE l.customer_id = p.customer_id AND l.photo_id = p.id
       ) OR p.facets / 2 % 2 <> (CASE WHEN p.latitude IS NULL THEN 0 ELSE 1 END)
       OR p.facets / 4 % 3 <> (CASE WHEN p.width > p.height THEN 2 WHEN p.width = p.height THEN 1 ELSE 0 END)
       OR p.facets / 12 % 7 <> coalesce(p.rating + 1, 0) OR p.facets / 84 <> p.favorite::integer
     )`,
    [customerId],
  );
}

test('links and facets follow a photo through everything that can become of it', async () => {
  const customerId = await newCustomer();
  const [first, second, third] = [
    await addTag(customerId, 'first'),
    await addTag(customerId, 'second'),
    await addTag(customerId, 'third'),
  ];
  const photo = await addPhoto(customerId, { rating: 0, width: 3, height: 4 }, [first]);
  const other = await addPhoto(customerId, { trashedAt: at, location: { latitude: 0, longitude: 0, altitude: null } });
  const bare = await addPhoto(customerId, { width: 4, height: 4 });
  const steps: ((transaction: Repositories) => Promise<unknown>)[] = [
    ({ photos }) => photos.update({ ...photo, trashedAt: at, rating: 5, rotation: 90, width: 4, height: 3 }),
    ({ photos }) => photos.setTags(photo.id, [first, second]),
    ({ tags }) => tags.attach(first, [photo.id, other.id, bare.id], at),
    ({ photos }) => photos.update({ ...photo, location: { latitude: 1, longitude: 1, altitude: null } }),
    ({ tags }) => tags.merge([first], third, at),
    ({ photos }) => photos.update({ ...other, trashedAt: null, location: null, rating: null }),
    ({ tags }) => tags.detach([second, third], [photo.id, bare.id], at),
    ({ tags }) => tags.delete(third, at),
    ({ tags }) => tags.attach(second, [photo.id, other.id], at),
    ({ photos }) => photos.delete(photo.id),
  ];
  for (const step of steps) {
    await store.transaction(customerId, async (transaction) => {
      await transaction.photos.lock([photo.id, other.id, bare.id]);
      await transaction.tags.lock([first, second, third]);
      await step(transaction);
    });
    expect(await outOfStep(customerId)).toEqual([]);
  }
  const links = await source.query(
    'SELECT photo_id AS "photoId", trashed, created_at AS "createdAt" FROM photo_tags WHERE customer_id = $1',
    [customerId],
  );
  expect(links).toEqual([{ photoId: other.id, trashed: false, createdAt: at }]);
});

test('a link that says something else than its photo is refused', async () => {
  const customerId = await newCustomer();
  const tagId = await addTag(customerId, 'a');
  const { id } = await addPhoto(customerId);
  const link = (trashed: boolean, createdAt: Date) =>
    source.query(
      'INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at) VALUES ($1, $2, $3, $4, $5)',
      [customerId, id, tagId, trashed, createdAt],
    );
  await expect(link(true, at)).rejects.toThrow('photo_tags_photo');
  await expect(link(false, new Date(at.getTime() + 1))).rejects.toThrow('photo_tags_photo');
  await link(false, at);
});

test('a transaction that waited for a photo sees the tags that it has by then', async () => {
  const customerId = await newCustomer();
  const tagId = await addTag(customerId, 'new');
  const photo = await addPhoto(customerId);
  let second: Promise<readonly PhotoWithTags[]> = Promise.resolve([]);
  await store.transaction(customerId, async ({ photos }) => {
    await photos.lock([photo.id]);
    second = store.transaction(customerId, (transaction) => transaction.photos.lock([photo.id]));
    const waiting = () =>
      source.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    while ((await waiting()).length === 0);
    await photos.setTags(photo.id, [tagId]);
  });
  expect((await second)[0]?.tags).toEqual([{ id: tagId, name: 'new' }]);
});

test('words of every script are read from the index', async () => {
  const customerId = await newCustomer();
  for (const { text, found, missed } of searchedTexts) {
    const { id } = await addPhoto(customerId, { title: text });
    const isFound = (q: string) =>
      source.transaction(async (manager) => {
        await manager.query('SET LOCAL enable_seqscan = off');
        const words = searchTerms(q) ?? [];
        const query = [
          searchQuery(
            customerId,
            words.map((word) => ({ word, tagIds: [] })),
          ),
        ];
        const statement = 'SELECT id FROM photos WHERE search @@ $1::tsquery';
        const plan = await manager.query(`EXPLAIN ${statement}`, query);
        expect(JSON.stringify(plan)).toContain('photos_search');
        return (await manager.query(statement, query)).some((row: { id: Id }) => row.id === id);
      });
    for (const q of found) expect([text, q, await isFound(q)]).toEqual([text, q, true]);
    for (const q of missed) expect([text, q, await isFound(q)]).toEqual([text, q, false]);
  }
});

test('a word is found in the longest text, wherever it stands in its first sixteen thousand characters', async () => {
  const customerId = await newCustomer();
  const different = Array.from({ length: 4000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  // A squared word has four or five characters, so that the text has more than there are positions.
  const { id } = await addPhoto(customerId, { description: `${different}${'\u3300'.repeat(5000)}終わり` });
  const finds = async (q: string) => {
    const filters: PhotoFilters = { words: searchTerms(q) ?? [], trashed: 'false' };
    const window = { after: null, limit: 9 };
    const found = await store.query(customerId, ({ photos }) => photos.list({ filters, sort: 'id', window }));
    return found.map((photo) => photo.id);
  };
  expect(await finds(different.slice(0, 200))).toEqual([id]);
  expect(await finds(different.slice(-100))).toEqual([id]);
  expect(await finds([...different.slice(1000, 1100)].reverse().join(''))).toEqual([]);
  expect(await finds('わり')).toEqual([id]);
});
