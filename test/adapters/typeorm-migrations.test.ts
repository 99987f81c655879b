import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { TypeormKeyFinder } from '../../src/adapters/typeorm/access/api-key.repository.js';
import { PostgresArchiveTarget } from '../../src/adapters/typeorm/backup/database-archive.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { migrate, migrationOptions, openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { hasOurTables } from '../../src/adapters/typeorm/database-state.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import { OneQueue1764000000013 } from '../../src/adapters/typeorm/migrations/1764000000013-one-queue.js';
import { migrations } from '../../src/adapters/typeorm/registry.js';
import { BeforeFirstRelease, isBeforeFirstRelease } from '../../src/core/backup/before-first-release.js';
import type { Job, Pool } from '../../src/core/jobs/job.js';
import { until } from '../e2e/support/processes.js';
import { claimFrom } from '../support/claim.js';
import { laterMigrations, Notes1999000000001 } from '../support/later-migrations.js';
import { emptyDatabase, pgConfig, type TestDatabase } from '../support/postgres.js';
import { withoutCustomerId } from '../support/tables-of-nobody.js';

const fixtures = join(__dirname, '../fixtures');

let server: TestDatabase;
let database: TestDatabase;

beforeAll(async () => {
  server = await emptyDatabase();
});
afterAll(() => server.close());
beforeEach(async () => {
  database = await emptyDatabase();
});
afterEach(() => database.close());

test('F23, F24: several processes that start at once on an empty database all come up', async () => {
  const sources = await Promise.all([1, 2, 3].map(() => openDataSource({ ...database, poolSize: 2 })));
  for (const source of sources) {
    await expect(source.query('SELECT count(*) AS count FROM photos')).resolves.toEqual([{ count: 0 }]);
  }
  const [first] = sources;
  const applied = await first?.query('SELECT name FROM migrations ORDER BY id');
  expect(applied).toHaveLength(migrations.length);
  await Promise.all(sources.map((source) => source.destroy()));
});

test('a second start changes nothing in the database', async () => {
  await migrate(database);
  const before = await schemaOf(database);
  await migrate(database);
  expect(await schemaOf(database)).toEqual(before);
});

test('F23: rows of this release are there after the migrations of a later one', async () => {
  await migrate(database);
  const old = new pg.Client(pgConfig(database));
  await old.connect();
  const photo = (id: number, trashed: string) => `
    INSERT INTO photos (customer_id, id, filename, filename_key, content_type, size_bytes, sha256, blob_key, width, height,
      orientation, rotation, alpha, rating, taken_at_source, camera_key, metadata, damaged, trashed_at, created_at, updated_at, version, search)
    VALUES (1, ${id}, 'a.jpg', 'a.jpg', 'image/jpeg', 5, 'hash ${id}', 'originals/1/${id}', 4, 3,
      1, 0, false, 3, 'none', '', '{}', false, ${trashed}, '2026-01-02', '2026-01-03', 7, array_to_tsvector(ARRAY['1:word', '1#1']))`;
  for (const sql of [
    `INSERT INTO customers (name, default_time_zone, created_at, updated_at) VALUES ('old', 'UTC', now(), now())`,
    `INSERT INTO api_keys (customer_id, name, token_hash, last_four, scopes, ip_list, created_at)
     VALUES (1, 'old', 'hash', 'abcd', '{photos:read}', '{}', now())`,
    `INSERT INTO tags (customer_id, name, name_key, search_key, created_at, updated_at) VALUES (1, 'old', 'old', 'old', now(), now())`,
    'INSERT INTO tag_counts VALUES (1, 1, 1)',
    photo(1, 'NULL'),
    photo(2, 'now()'),
    'INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at) SELECT 1, id, 1, trashed, created_at FROM photos',
  ]) {
    await old.query(sql);
  }
  await migrate(database, laterMigrations);
  expect((await old.query('SELECT photo_id::integer AS id, text FROM notes ORDER BY photo_id')).rows).toEqual([
    { id: 1, text: 'a.jpg' },
    { id: 2, text: 'a.jpg' },
  ]);
  await old.end();
  const source = await openDataSource({ ...database, poolSize: 1 });
  const { photos, usage, tags } = await new TypeormCustomerStore(source).query(1, async (reader) => ({
    photos: await reader.photos.getMany([1, 2]),
    usage: await reader.usage.read(),
    tags: await reader.tags.count(),
  }));
  expect(
    photos.map(({ id, sha256, rating, version, tags: of, trashedAt }) => [
      id,
      sha256,
      rating,
      version,
      of.length,
      trashedAt !== null,
    ]),
  ).toEqual([
    [1, 'hash 1', 3, 7, 1, false],
    [2, 'hash 2', 3, 7, 1, true],
  ]);
  expect([usage.photos, usage.trashedPhotos, tags]).toEqual([1, 1, 1]);
  expect(await new TypeormKeyFinder(source).findByHash('hash')).toMatchObject({ key: { name: 'old' } });
  await source.destroy();
});

test('work that waits is carried into the queue that all work shares, and back', async () => {
  const before = migrations.slice(0, migrations.indexOf(OneQueue1764000000013));
  await migrate(database, before);
  const client = new pg.Client(pgConfig(database));
  await client.connect();
  for (const sql of [
    `INSERT INTO customers (name, default_time_zone, created_at, updated_at) VALUES ('old', 'UTC', now(), now())`,
    `INSERT INTO jobs (customer_id, key, work, attempt, failures, due_at)
     VALUES (1, 'renew', '{"kind":"renew"}', 4, 2, now() - interval '1 hour')`,
    `INSERT INTO webhook_endpoints (customer_id, url, events, status, secret, created_at, updated_at)
     VALUES (1, 'https://example.com/', '{}', 'enabled', 'sealed', now(), now())`,
    `INSERT INTO webhook_deliveries (customer_id, endpoint_id, event_id, type, subject_id, at, status, attempt, due_at, lease, ended_at) VALUES
       (1, 1, 'evt_1', 'tag.created', 1, now(), 'delivered', 3, NULL, NULL, now()),
       (1, 1, 'evt_2', 'tag.created', 2, now(), 'pending', 2, now() - interval '1 minute', NULL, NULL),
       (1, 1, 'evt_3', 'tag.created', 3, now(), 'pending', 1, now() - interval '2 minutes', 'lost', NULL),
       (1, 1, 'evt_4', 'tag.created', 4, now(), 'pending', 5, now() + interval '1 hour', NULL, NULL)`,
    `INSERT INTO imports (customer_id, status, duplicate_policy, restore_trashed, tag_ids, created_at, updated_at, version)
     VALUES (1, 'open', 'skip', false, '{}', now(), now(), 1)`,
    `INSERT INTO import_photos (customer_id, id, import_id, status, restored, filename, upload_id, blob_name, metadata, tag_ids, created_at, updated_at)
     VALUES (1, 7, 1, 'fetching', false, 'a.jpg', 99, 'name', '{}', '{}', now(), now())`,
    `INSERT INTO source_fetches (customer_id, item_id, import_id, upload_id, url, host, validator, failures, due_at)
     VALUES (1, 7, 1, 99, 'sealed', 'a.example.com', '"1"', 2, now() - interval '1 minute')`,
  ]) {
    await client.query(sql);
  }
  const rows = async () => [
    (await client.query('SELECT key, attempt, failures, due_at FROM jobs')).rows,
    (await client.query('SELECT id, status, attempt, due_at FROM webhook_deliveries ORDER BY id')).rows,
    (await client.query('SELECT item_id, failures, due_at, validator FROM source_fetches')).rows,
  ];
  const old = await rows();
  await migrate(database);
  const migrating = await new DataSource(migrationOptions(database)).initialize();
  for (const _ of migrations.slice(before.length)) await migrating.undoLastMigration();
  await migrating.destroy();
  expect(await rows()).toEqual(old);
  await migrate(database);
  const source = await openDataSource({ ...database, poolSize: 1 });

  const queue = new TypeormJobQueue(source);
  const all = async <P extends Pool>(pool: P) => {
    const claim = () => claimFrom(queue, pool, 60);
    const claimed: Job<P>[] = [];
    for (let job = await claim(); job !== null; job = await claim()) claimed.push(job);
    return claimed;
  };
  expect(await all('jobs')).toMatchObject([{ work: { kind: 'renew' }, attempt: 5, failures: 2 }]);
  expect(await all('deliveries')).toMatchObject([
    { work: { kind: 'deliver', endpointId: 1, deliveryId: 3 }, attempt: 2 },
    { work: { deliveryId: 2 }, attempt: 3 },
  ]);
  const work = { kind: 'fetch', importId: 1, itemId: 7, uploadId: 99, host: 'a.example.com' };
  expect(await all('fetches')).toMatchObject([{ work, failures: 2 }]);
  const log = await new TypeormCustomerStore(source).query(1, ({ deliveries }) => deliveries.list(1, null, 10));
  expect(log.map(({ id, status, attempt, dueAt }) => [id, status, attempt, dueAt !== null])).toEqual([
    [4, 'pending', 5, true],
    [3, 'pending', 2, true],
    [2, 'pending', 3, true],
    [1, 'delivered', 3, false],
  ]);
  await source.destroy();
  await client.end();
});

describe('a library that others write to while it is migrated', () => {
  const uses: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client(pgConfig(database));
    await client.connect();
    uses.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of uses.splice(0)) await client.end();
  });

  const add = (count: number) => `
    INSERT INTO photos (customer_id, filename, filename_key, content_type, size_bytes, sha256, blob_key, width, height, orientation, rotation,
      alpha, taken_at_source, camera_key, metadata, damaged, created_at, updated_at, version, search)
    SELECT 1, 'a.jpg', 'a.jpg', 'image/jpeg', 5, gen_random_uuid(), gen_random_uuid(), 4, 3, 1, 0, false, 'none', '', '{}', false, now(), now(), 1, ''
    FROM generate_series(1, ${count})`;

  /** Three photos of this release. */
  async function library(): Promise<pg.Client> {
    await migrate(database);
    const client = await connect();
    await client.query(
      `INSERT INTO customers (name, default_time_zone, created_at, updated_at) VALUES ('old', 'UTC', now(), now())`,
    );
    await client.query(add(3));
    return client;
  }

  test('waits for a transaction without making the others wait for it, too', async () => {
    const long = await library();
    await long.query(`BEGIN; ${add(1)}`);
    const migrating = migrate(database, laterMigrations);
    const other = await connect();
    await until('it to ask for the table', async () => {
      const { rows } = await other.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'photos'::regclass AND mode = 'AccessExclusiveLock'`,
      );
      return rows.length > 0;
    });
    await other.query(add(1));
    await long.query('COMMIT');
    await migrating;
    expect((await other.query('SELECT count(*)::integer AS notes FROM notes')).rows).toEqual([{ notes: 5 }]);
  });

  test('is filled and indexed beside writes, and a broken index is begun anew', async () => {
    const long = await library();
    await migrate(
      database,
      laterMigrations.filter((each) => !('online' in each)),
    );
    const other = await connect();
    await long.query(`BEGIN; ${add(1)}`);
    await other.query('SET statement_timeout = 50');
    await expect(
      other.query('CREATE INDEX CONCURRENTLY photos_without_note ON photos (customer_id, id) WHERE NOT has_note'),
    ).rejects.toThrow('statement timeout');
    await other.query('RESET statement_timeout');
    const broken = 'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid';
    expect((await other.query(broken)).rows).toEqual([{ name: 'photos_without_note' }]);
    const migrating = migrate(database, laterMigrations);
    await until('it to wait with an index', async () => {
      const { rows } = await other.query(
        `SELECT FROM pg_stat_activity WHERE query ~ '^(CREATE|DROP) INDEX' AND wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length > 0;
    });
    await other.query(add(1));
    // Another process that starts meanwhile.
    const second = migrate(database, laterMigrations);
    await long.query('COMMIT');
    await Promise.all([migrating, second]);
    expect((await other.query('SELECT count(*)::integer AS notes FROM notes')).rows).toEqual([{ notes: 3 }]);
    expect((await other.query('SELECT sum(photos)::integer AS photos FROM photo_totals')).rows).toEqual([
      { photos: 5 },
    ]);
    expect((await other.query(broken)).rows).toEqual([]);
    const { rows: indexes } = await other.query(
      `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indexrelid::regclass::text LIKE '%_note' ORDER BY name`,
    );
    expect(indexes).toEqual([{ name: 'photos_with_note' }, { name: 'photos_without_note' }]);
  });

  test('stays as it was where a migration of the tables fails, and is migrated once the cause is removed', async () => {
    const client = await library();
    const before = await schemaOf(database);
    await client.query('CREATE TABLE notes ()');
    await expect(migrate(database, laterMigrations)).rejects.toThrow(
      /relation "notes" already exists\. Nothing in it has been changed: .* \(docs\/upgrading\.md\)/,
    );
    await client.query('DROP TABLE notes');
    expect(await schemaOf(database)).toEqual(before);
    await migrate(database, laterMigrations);
    expect((await client.query('SELECT count(*)::integer AS notes FROM notes')).rows).toEqual([{ notes: 3 }]);
  });

  test('keeps its new tables where what follows them fails, and continues there once the cause is removed', async () => {
    const client = await library();
    await client.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no notes yet'; END $$`,
    );
    await migrate(database, [...migrations, Notes1999000000001]);
    await client.query('CREATE TRIGGER refuse BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION refuse()');
    await expect(migrate(database, laterMigrations)).rejects.toThrow(
      /The tables are those of this version, but .*: no notes yet\. Remove the cause and start again/,
    );
    await client.query('DROP TRIGGER refuse ON notes');
    await migrate(database, laterMigrations);
    expect((await client.query('SELECT count(*)::integer AS notes FROM notes')).rows).toEqual([{ notes: 3 }]);
  });
});

describe('a database of a version before 0.1.0', () => {
  const sql = readFileSync(join(fixtures, 'before-first-release.sql'), 'utf8');

  test('is refused, whatever else is locked, and stays as it was', async () => {
    const client = new pg.Client(pgConfig(database));
    await client.connect();
    await client.query(sql);
    const before = await schemaOf(database);
    // As a process of that version holds its tables.
    await client.query('BEGIN; LOCK TABLE customers');
    await expect(migrate(database)).rejects.toThrow(BeforeFirstRelease);
    await expect(openDataSource(database)).rejects.toThrow(BeforeFirstRelease);
    await expect(hasOurTables(database)).rejects.toThrow(BeforeFirstRelease);
    await expect(new PostgresArchiveTarget(database).prepare(migrations.map(({ name }) => name))).rejects.toThrow(
      BeforeFirstRelease,
    );
    await client.query('COMMIT');
    expect(await schemaOf(database)).toEqual(before);
    await client.end();
  });

  test('is recognized by its migrations, which neither this version nor another program has', () => {
    const old = [...sql.matchAll(/'(\w+\d{13})'/g)].map(([, name = '']) => name);
    expect(old).toHaveLength(20);
    for (const name of [...old, 'WordsAnywhere1763700000300'])
      expect([name, isBeforeFirstRelease([name])]).toEqual([name, true]);
    expect(isBeforeFirstRelease(laterMigrations.map(({ name }) => name))).toBe(false);
    expect(isBeforeFirstRelease(['First1763699999999', 'Init1600000000000', '1763700000001x', 'x', ''])).toBe(false);
  });
});

describe('released migrations are not edited', () => {
  const installations = join(fixtures, 'installations');
  const kept = readdirSync(installations, { withFileTypes: true }).filter((each) => each.isDirectory());

  test.each(kept.map(({ name }) => name))('a database of %s gets the tables of a new one', async (version) => {
    const client = new pg.Client(pgConfig(database));
    await client.connect();
    await client.query(readFileSync(join(installations, version, 'database.sql'), 'utf8'));
    await client.end();
    await migrate(database);
    const fresh = await emptyDatabase();
    await migrate(fresh);
    expect(await catalogOf(database)).toEqual(await catalogOf(fresh));
    await fresh.close();
  });
});

test('every migration can be taken back', async () => {
  await migrate(database);
  const source = await new DataSource(migrationOptions(database)).initialize();
  const before = await schemaOf(database);
  for (const _ of migrations) await source.undoLastMigration();
  const rest: { name: string }[] = await source.query(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace
     UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY name`,
  );
  expect(rest.map(({ name }) => name)).toEqual(['migrations', 'migrations_id_seq']);
  await source.runMigrations();
  expect(await schemaOf(database)).toEqual(before);
  await source.destroy();
});

describe('the catalog', () => {
  let source: DataSource;
  beforeEach(async () => {
    source = await openDataSource({ ...database, poolSize: 1 });
  });
  afterEach(() => source.destroy());

  test('every unique index of a customer’s table begins with the customer', async () => {
    const indexes: { table: string; index: string; first: string }[] = await source.query(
      `SELECT t.relname AS "table", i.relname AS "index",
         (SELECT attname FROM pg_attribute WHERE attrelid = t.oid AND attnum = x.indkey[0]) AS "first"
       FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
       WHERE t.relnamespace = 'public'::regnamespace AND x.indisunique AND t.relname <> ALL ($1)`,
      [withoutCustomerId],
    );
    expect(new Set(indexes.map(({ table }) => table))).toEqual(new Set(await tenantTables(source)));
    expect(indexes.filter(({ first }) => first !== 'customer_id')).toEqual([]);
  });

  test('every foreign key between customers’ tables goes through the customer', async () => {
    const keys: { table: string; to: string; pairs: [string, string][] }[] = await source.query(
      `SELECT c.conrelid::regclass::text AS "table", c.confrelid::regclass::text AS "to", (
         SELECT json_agg(json_build_array(a.attname, f.attname)) FROM unnest(c.conkey, c.confkey) AS k (own, other)
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
         JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.other
       ) AS pairs
       FROM pg_constraint c WHERE c.contype = 'f'`,
    );
    const loose = keys.filter(({ to, pairs }) => {
      const customer = to === 'customers' ? 'id' : 'customer_id';
      return !pairs.some(([own, other]) => own === 'customer_id' && other === customer);
    });
    expect(keys.length).toBeGreaterThan(8);
    expect(loose).toEqual([]);
  });

  test('the table values describe the tables that the migrations made', async () => {
    for (const metadata of source.entityMetadatas) {
      const columns: { name: string; type: string; nullable: boolean }[] = await source.query(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable
         FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
        [metadata.tableName],
      );
      const byName = new Map(columns.map(({ name, ...rest }) => [name, rest]));
      for (const column of metadata.columns) {
        const precision = column.precision == null ? '' : `(${column.precision})`;
        const type = String(column.type).replace('timestamptz', `timestamp${precision} with time zone`);
        expect([metadata.tableName, column.databaseName, byName.get(column.databaseName)]).toEqual([
          metadata.tableName,
          column.databaseName,
          { type: column.isArray ? `${type}[]` : type, nullable: column.isNullable },
        ]);
      }
    }
  });
});

async function tenantTables(source: DataSource): Promise<string[]> {
  const tables: { name: string }[] = await source.query(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> ALL ($1)`,
    [withoutCustomerId],
  );
  return tables.map(({ name }) => name);
}

/** Everything that migrations make, as the server describes it. */
async function catalogOf(address: TestDatabase): Promise<unknown> {
  const client = new pg.Client(pgConfig(address));
  await client.connect();
  const ours = `'public'::regnamespace`;
  const { rows } = await client.query(`
    SELECT relname || '.' || attname AS name, concat_ws(' ', format_type(atttypid, atttypmod), attnum, attnotnull, attidentity, attgenerated,
      attcollation::regcollation, attstattarget, pg_get_expr(adbin, adrelid)) AS definition
    FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
    WHERE relnamespace = ${ours} AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT relname, concat_ws(' ', relkind, relpersistence, relrowsecurity, reloptions) FROM pg_class WHERE relnamespace = ${ours}
    UNION ALL SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = indrelid WHERE relnamespace = ${ours}
    UNION ALL SELECT concat_ws('.', conrelid::regclass, conname), pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = ${ours}
    UNION ALL SELECT concat_ws('.', tgrelid::regclass, tgname), pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = ${ours}
    UNION ALL SELECT stxname, pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxnamespace = ${ours}
    UNION ALL SELECT concat_ws('.', polrelid::regclass, polname), pg_get_expr(polqual, polrelid) FROM pg_policy
    ORDER BY name, definition`);
  await client.end();
  expect(rows.length).toBeGreaterThan(500);
  return rows;
}

async function schemaOf(address: TestDatabase): Promise<unknown> {
  const source = await new DataSource({ ...migrationOptions(address), migrations: [] }).initialize();
  try {
    return await source.query(
      `SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
    );
  } finally {
    await source.destroy();
  }
}
