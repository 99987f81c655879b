// What a page of GET /photos and GET /tags reads of a library of a million photos, for every filter and sort, and its time
// against that of the same page of a library of a thousand. Fills a database for it first, which takes some minutes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openEmbeddedPostgres } from '../../dist/adapters/embedded-postgres.js';
import { TypeormCustomerDirectory } from '../../dist/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../dist/adapters/typeorm/data-source.js';
import { withoutTransaction } from '../../dist/adapters/typeorm/database/transaction.js';
import { listPhotos } from '../../dist/adapters/typeorm/photos/photo-list.js';
import { TypeormTagRepository } from '../../dist/adapters/typeorm/tags/tag.repository.js';
import { commandLine } from '../../dist/core/audit/audit-entry.js';
import { createCustomer } from '../../dist/core/customers/create-customer.js';
import { photoPosition, photoSorts } from '../../dist/core/photos/photo-query.js';
import { tagPosition, tagSorts } from '../../dist/core/tags/tag.js';
import { fillLibrary, filtersOf, measured } from './rows-read.mjs';
import { searchTexts } from './texts.mjs';

const { values: options } = parseArgs({
  options: {
    photos: { type: 'string', default: '1000000' },
    // Kept, and found filled by the next run.
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    sorts: { type: 'string', default: photoSorts.join(',') },
    // Instead: searches in texts of several scripts, beside an earlier build (its `dist`).
    texts: { type: 'boolean', default: false },
    before: { type: 'string' },
  },
});
const PHOTOS = Number(options.photos);
const FEW = 1000;
const TAGS = 10_000;
const LIMIT = 51;
const TIMES = 5;
const beside = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

async function fill(client, customers) {
  const newCustomer = async (name) => {
    const uses = { customers, clock: { now: () => new Date() } };
    const request = { name, storageBytesLimit: null, photosLimit: null };
    return (await createCustomer(uses, commandLine, request)).id;
  };
  const { rows: indexes } = await client.query(
    `SELECT i.indexrelid::regclass AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid IN ('photos'::regclass, 'photo_tags'::regclass) AND NOT i.indisunique`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  for (const [name, photos] of [
    ['many', PHOTOS],
    ['others', PHOTOS / 5],
    ['few', FEW],
  ]) {
    const customerId = await newCustomer(name);
    await fillLibrary((sql) => client.query(sql), beside('library.sql'), customerId, photos);
    console.log(`${photos} photos of the customer "${name}"`);
  }
  for (const [name, tags] of [
    ['many tags', TAGS],
    ['few tags', 100],
  ]) {
    await client.query(
      `WITH made AS (
         INSERT INTO tags (customer_id, name, name_key, search_key, created_at, updated_at)
         SELECT $1, name, name, name, now(), now() FROM generate_series(1, $2::integer) AS n, md5(n::text) AS name RETURNING *
       ) INSERT INTO tag_counts (customer_id, tag_id, photos) SELECT customer_id, id, (id % 10)::integer FROM made`,
      [await newCustomer(name), tags],
    );
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query('VACUUM ANALYZE');
}

/** The same page of both: what the first reads, and how many times as long as the second it takes. */
async function compared(manager, list, many, few) {
  const { rows, blocks, answer } = await measured(manager, (watching) => list(watching, many));
  const time = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < TIMES; round += 1) {
    for (const [index, library] of [many, few].entries()) {
      const began = performance.now();
      await list(manager, library);
      time[index] = Math.min(time[index], performance.now() - began);
    }
  }
  return { rows, blocks, ratio: time[0] / time[1], milliseconds: time[0], answer };
}

function tell(name, sort, where, { rows, blocks, ratio, milliseconds, answer }) {
  const cells = [name.padEnd(34), sort.padEnd(11), where.padEnd(7), `${answer.length} found`.padStart(9)];
  const reads = [`${rows} rows`.padStart(13), `${blocks} blocks`.padStart(14)];
  console.log([...cells, ...reads, `${ratio.toFixed(1)} ×`.padStart(9), `(${milliseconds.toFixed(1)} ms)`].join(' '));
}

async function photos(manager, customerIds) {
  for (const [name, given] of Object.entries(JSON.parse(beside('cases.json')))) {
    if (!name.includes(options.only)) continue;
    const libraries = [];
    for (const customerId of customerIds) {
      libraries.push({ customerId, filters: await filtersOf(manager, customerId, given) });
    }
    for (const sort of options.sorts.split(',')) {
      const list = (on, { customerId, filters, after = null }) =>
        listPhotos(on, customerId, { filters, sort, window: { after, limit: LIMIT } });
      tell(name, sort, 'first', await compared(manager, list, ...libraries));
      const middle = [];
      for (const library of libraries) {
        const half = await manager.query('SELECT (min(id) + max(id)) / 2 AS id FROM photos WHERE customer_id = $1', [
          library.customerId,
        ]);
        const window = { after: { value: half[0].id, id: half[0].id }, limit: 1 };
        const [photo] = await listPhotos(manager, library.customerId, {
          filters: { trashed: 'false' },
          sort: 'id',
          window,
        });
        middle.push({ ...library, after: photoPosition(photo, sort) });
      }
      tell(name, sort, 'middle', await compared(manager, list, ...middle));
    }
  }
}

async function tags(manager, customerIds) {
  const cases = {
    'no filter': {},
    'q, frequent': { q: 'a' },
    'q, none': { q: 'zzz' },
    unused: { unused: true },
    used: { unused: false },
  };
  for (const [name, filters] of Object.entries({ ...cases, name: { nameKey: 'c4ca4238a0b923820dcc509a6f75849b' } })) {
    for (const sort of tagSorts) {
      const list = (on, { customerId, after = null }) =>
        new TypeormTagRepository(on, customerId).list({ filters, sort, window: { after, limit: LIMIT } });
      const [many, few] = customerIds.map((customerId) => ({ customerId }));
      const first = await compared(manager, list, many, few);
      tell(`tags: ${name}`, sort, 'first', first);
      const last = first.answer.at(-1);
      if (last === undefined) continue;
      tell(
        `tags: ${name}`,
        sort,
        'second',
        await compared(manager, list, { ...many, after: tagPosition(last, sort) }, few),
      );
    }
  }
}

if (options.texts) {
  await searchTexts(Number(options.photos), options.before);
  process.exit();
}
const dataDir = options.data ?? mkdtempSync(join(tmpdir(), 'phs-bench-lists-'));
const postgres = await openEmbeddedPostgres(dataDir, 'own');
try {
  const source = await openDataSource(postgres);
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const idsOf = async () =>
    (await client.query('SELECT id::integer AS id FROM customers ORDER BY id')).rows.map(({ id }) => id);
  if ((await idsOf()).length === 0) await fill(client, new TypeormCustomerDirectory(source));
  await client.end();
  const [many, , few, manyTags, fewTags] = await source.query('SELECT id::integer AS id FROM customers ORDER BY id');
  await withoutTransaction(source, async (manager) => {
    await photos(manager, [many.id, few.id]);
    if (options.only === '') await tags(manager, [manyTags.id, fewTags.id]);
  });
  await source.destroy();
} finally {
  await postgres.stop();
  if (options.data === undefined) rmSync(dataDir, { recursive: true, force: true });
}
