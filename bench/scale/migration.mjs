// How long a migration of a large library holds up those who use it meanwhile: fills a database as it was before a migration, migrates it to this
// version, and writes and reads photos all the while. Without the name of one, what is measured is a column and an index of all photos.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openEmbeddedPostgres } from '../../dist/adapters/embedded-postgres.js';
import { migrate } from '../../dist/adapters/typeorm/data-source.js';
import { OnlineIndexes } from '../../dist/adapters/typeorm/migrations/online-indexes.js';
import { migrations } from '../../dist/adapters/typeorm/registry.js';

const { values: options } = parseArgs({
  options: {
    photos: { type: 'string', default: '15000000' },
    // Kept; filled and not migrated if it does not exist yet.
    data: { type: 'string' },
    // The first migration that is not in the filled database.
    before: { type: 'string' },
  },
});
const PHOTOS = Number(options.photos);
const CUSTOMERS = 10;
const IN_TURN = 500_000;
const PAUSE_MS = 10;

class SampleColumn1999000000001 {
  async up(runner) {
    await runner.query('ALTER TABLE photos ADD is_sample boolean NOT NULL DEFAULT false');
  }
  async down() {}
}

class SampleIndex1999000000002 extends OnlineIndexes {
  indexes = { photos_sample: 'photos (customer_id, id) WHERE NOT is_sample' };
}

const { before } = options;
const [old, newest] =
  before === undefined
    ? [migrations, [...migrations, SampleColumn1999000000001, SampleIndex1999000000002]]
    : [
        migrations.slice(
          0,
          migrations.findIndex(({ name }) => name.startsWith(before)),
        ),
        migrations,
      ];

async function fill(client) {
  await client.query(
    `INSERT INTO customers (name, default_time_zone, created_at, updated_at)
     SELECT 'customer ' || n, 'UTC', now(), now() FROM generate_series(1, ${CUSTOMERS}) AS n`,
  );
  const { rows: indexes } = await client.query(
    `SELECT i.indexrelid::regclass AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid = 'photos'::regclass AND NOT i.indisunique`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  for (let from = 0; from < PHOTOS; from += IN_TURN) {
    await client.query(insertion(`generate_series(${from}, ${Math.min(PHOTOS, from + IN_TURN) - 1})`));
    console.log(`${Math.min(PHOTOS, from + IN_TURN)} photos`);
  }
  for (const { name, definition } of indexes) {
    await client.query(definition);
    console.log(`index ${name}`);
  }
  await client.query('VACUUM ANALYZE photos');
}

async function connected(connection, work) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Photos with what migrations read of them: times, places, trash, exposure. */
const insertion = (numbers) => `
  INSERT INTO photos (
    customer_id, filename, filename_key, content_type, size_bytes, sha256, blob_key, width, height, orientation, rotation, alpha,
    latitude, longitude, rating, taken_at, taken_at_source, camera_key, exposure, metadata, damaged, trashed_at, purge_at, created_at,
    updated_at, version, search
  )
  SELECT customer, name, name, 'image/jpeg', 100000 + n % 9000000, lpad(n::text, 64, '0'), concat('originals/', n), 4000, 3000, 1, 0, false,
    CASE WHEN n % 5 < 2 THEN (n % 16000) / 100.0 - 80 END, CASE WHEN n % 5 < 2 THEN (n % 35000) / 100.0 - 175 END,
    CASE WHEN n % 10 = 0 THEN n % 6 END, at, 'exif_offset', concat('maker model ', n % 40),
    CASE WHEN n % 10 < 8 THEN json_build_object('iso', 100 << (n % 6)::integer, 'focalLength35mm', 24 + n % 80) END, '{}', false,
    CASE WHEN n % 50 = 0 THEN at END, CASE WHEN n % 50 = 0 THEN at + interval '30 days' END, at, at, 1,
    array_to_tsvector(ARRAY[concat(customer, ':img')])
  FROM (
    SELECT n, customers[1 + n % ${CUSTOMERS}] AS customer, concat('img_', n, '.jpg') AS name,
      timestamptz '2015-01-01' + interval '20 seconds' * n AS at
    FROM ${numbers} AS n, (SELECT array_agg(id ORDER BY id) AS customers FROM customers) all_of_them
  ) numbered`;

/** Does something again and again. @returns the longest time that it took, and how often it was done, once it is told to stop. */
function again(connection, query) {
  let stopped = false;
  const done = connected(connection, async (client) => {
    let [longest, times] = [0, 0];
    while (!stopped) {
      const began = performance.now();
      await client.query(query(times));
      longest = Math.max(longest, performance.now() - began);
      times += 1;
      await delay(PAUSE_MS);
    }
    return { longest, times };
  });
  return () => {
    stopped = true;
    return done;
  };
}

const anyPhoto = () => 1 + Math.floor(Math.random() * PHOTOS);
const uses = {
  insert: (n) => insertion(`(VALUES (${PHOTOS + n}))`).replace('AS n, (SELECT', 'AS v(n), (SELECT'),
  update: () => `UPDATE photos SET rating = 5, version = version + 1 WHERE customer_id = 1 AND id = ${anyPhoto()}`,
  read: () => `SELECT id, filename FROM photos WHERE customer_id = 1 AND id = ${anyPhoto()}`,
};

const dataDir = options.data ?? mkdtempSync(join(tmpdir(), 'phs-bench-migration-'));
const isFilled = existsSync(join(dataDir, 'pg18'));
const postgres = await openEmbeddedPostgres(dataDir, 'own', undefined, {
  max_wal_size: '4GB',
  maintenance_work_mem: '512MB',
});
try {
  if (!isFilled) {
    await migrate(postgres, old);
    await connected(postgres.connection, fill);
  }
  if (isFilled || options.data === undefined) {
    const ends = Object.entries(uses).map(([name, query]) => [name, again(postgres.connection, query)]);
    await delay(2000);
    const began = performance.now();
    await migrate(postgres, newest);
    console.log(`migrated in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    for (const [name, end] of ends) {
      const { longest, times } = await end();
      console.log(`${name}: ${times} times, the longest ${longest.toFixed(0)} ms`);
    }
  }
} finally {
  await postgres.stop();
  if (options.data === undefined) rmSync(dataDir, { recursive: true, force: true });
}
