/* @rest */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '../../src/adapters/embedded-postgres.js';
import { emptyDatabase, pgConfig, type TestDatabase, urlOf } from '../support/postgres.js';
import { Installation } from './support/service.js';

/** Two tables of a version before 0.1.0, and the migrations that it had run. */
const TABLES = readFileSync(join(__dirname, '../fixtures/before-first-release.sql'), 'utf8');
const FINDING = 'The database was made by a version before 0.1.0, and nothing in it has been changed';
const ADVICE =
  'export its photos with that version (phs export), and import them with this one into a new installation (phs import --from photo-service; docs/upgrading.md).';
const REFUSAL = `phs: ${FINDING}: ${ADVICE}\n`;

/** Everything in the schema; `xmin` changes with each write of a row, even of the same values. */
async function contentOf(database: pg.Client): Promise<unknown> {
  const { rows } = await database.query(`
    SELECT
      (SELECT json_agg(json_build_array(relname, relkind, relrowsecurity, relacl::text) ORDER BY relname) FROM pg_class
       WHERE relnamespace = 'public'::regnamespace) AS relations,
      (SELECT json_agg(json_build_array(attrelid::regclass, attname, atttypid::regtype) ORDER BY attrelid, attnum) FROM pg_attribute
       WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)) AS columns,
      (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS functions,
      (SELECT count(*) FROM pg_policy) AS policies,
      (SELECT json_agg(json_build_array(c.xmin::text, c) ORDER BY id) FROM customers c) AS customers,
      (SELECT json_agg(json_build_array(m.xmin::text, m) ORDER BY id) FROM migrations m) AS migrations`);
  return rows;
}

const timesIn = (text: string) => text.split(REFUSAL).length - 1;

describe('F23: a database of a version before 0.1.0, by DATABASE_URL', () => {
  let address: TestDatabase;
  let database: pg.Client;
  let installation: Installation;
  let before: unknown;
  const backups = mkdtempSync(join(tmpdir(), 'phs-backups-'));
  beforeAll(async () => {
    address = await emptyDatabase();
    database = new pg.Client(pgConfig(address));
    await database.connect();
    await database.query(TABLES);
    before = await contentOf(database);
    installation = await Installation.make({ DATABASE_URL: urlOf(address) });
    const other = await Installation.make();
    expect(await other.command('backup', backups)).toMatchObject({ status: 0 });
    await other.remove();
  });
  afterAll(async () => {
    await installation.remove();
    await database.end();
    await address.close();
    rmSync(backups, { recursive: true });
  });
  afterEach(async () => {
    expect(await contentOf(database)).toEqual(before);
    expect(readdirSync(installation.dataDir)).toEqual([]);
  });

  it.each(['all', 'api', 'worker'])('is refused by the service with ROLE=%s', async (role) => {
    const service = installation.with({ DATABASE_URL: urlOf(address), ROLE: role });
    const { status, output } = await service.startInVain();
    expect([status, timesIn(output)]).toEqual([4, 1]);
  });

  it.each([
    ['migrate', []],
    ['restore', [backups]],
    ['verify', ['--repair']],
    ['gc', []],
    ['backup', [backups]],
  ])('is refused by phs %s', async (name, args) => {
    const { status, stdout, stderr } = await installation.command(name, ...args);
    expect([status, timesIn(stdout + stderr)]).toEqual([4, 1]);
  });

  it('is what phs doctor finds to be wrong, and nothing else', async () => {
    const { status, stdout } = await installation.command('doctor', '--json');
    const failed = JSON.parse(stdout).findings.filter(({ level }: { level: string }) => level === 'fail');
    expect([status, failed]).toEqual([4, [{ check: 'migrations', level: 'fail', message: FINDING, advice: ADVICE }]]);
  });
});

describe('F23: an embedded database of a version before 0.1.0', () => {
  let installation: Installation;
  let before: unknown;
  beforeAll(async () => {
    installation = await Installation.make();
    before = await inDatabase(async (database) => {
      await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await database.query(TABLES);
      return contentOf(database);
    });
  });
  afterAll(() => installation.remove());

  async function inDatabase<T>(work: (database: pg.Client) => Promise<T>): Promise<T> {
    const { connection, stop } = await openEmbeddedPostgres(installation.dataDir, 'own');
    const database = new pg.Client(connection);
    await database.connect();
    try {
      return await work(database);
    } finally {
      await database.end();
      await stop();
    }
  }

  it('is refused by the service and by commands, and stays as it was', async () => {
    const { status, output } = await installation.startInVain();
    expect([status, timesIn(output)]).toEqual([4, 1]);
    for (const name of ['migrate', 'verify', 'gc']) {
      const { status, stdout, stderr } = await installation.command(name);
      expect([name, status, timesIn(stdout + stderr)]).toEqual([name, 4, 1]);
    }
    const doctor = await installation.command('doctor');
    expect(doctor).toMatchObject({ status: 4, stdout: expect.stringContaining(FINDING) });
    expect(doctor.stdout).toContain(ADVICE);
    expect(await inDatabase(contentOf)).toEqual(before);
  });
});
