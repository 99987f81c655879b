import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { emptyDatabase, pgConfig, urlOf } from '../support/postgres.js';
import { Client, sha256 } from './support/client.js';
import { itDoesTheMainJob } from './support/main-job.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

const fixtures = join(__dirname, '../fixtures');
const installations = join(fixtures, 'installations');
const made = readdirSync(installations, { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() ? [each.name] : [],
);

const DAY_MS = 86_400_000;
/** A migration of the later release creates a table of this name. */
const TAKEN = 'notes';
/** Makes the program under test a release after this one, which has migrations of its own. */
const laterRelease = { NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, 'support/later-release.mjs')).href}` };

/** The names of these migrations. */
const later = ['Notes1999000000001', 'FirstNotes1999000000002', 'NoteIndex1999000000003'];

const expectedOf = (version: string) => JSON.parse(readFileSync(join(installations, version, 'expected.json'), 'utf8'));

interface Kept {
  readonly installation: Installation;
  readonly database: pg.Client;
  close(): Promise<void>;
}

/** What a version left behind, on a database of its own; its service is not started. */
async function leftBy(version: string, settings: Readonly<Record<string, string>> = {}): Promise<Kept> {
  const folder = join(installations, version);
  const { database, ...kept } = await onEmptyDatabase(settings);
  const sql = readFileSync(join(folder, 'database.sql'), 'utf8');
  await database.query(asOfNow(sql, Date.parse(expectedOf(version).madeAt)));
  await database.query('RESET ALL');
  const { dataDir } = kept.installation;
  for (const part of ['blobs', 'secret-key']) cpSync(join(folder, part), join(dataDir, part), { recursive: true });
  chmodSync(join(dataDir, 'secret-key'), 0o600);
  return { database, ...kept };
}

async function onEmptyDatabase(settings: Readonly<Record<string, string>>): Promise<Kept> {
  const address = await emptyDatabase();
  const database = new pg.Client(pgConfig(address));
  await database.connect();
  const given = { DATABASE_URL: urlOf(address), WEBHOOK_ALLOW_PRIVATE: 'true', ...settings };
  const installation = await Installation.make(given);
  const close = async () => {
    await installation.remove();
    await database.end();
    await address.close();
  };
  return { installation, database, close };
}

describe.each(made)('F23: the installation that %s left behind, started by a later release', (name) => {
  const before = expectedOf(name);
  let kept: Kept;
  let database: pg.Client;
  let installation: Installation;
  let client: Client;
  beforeAll(async () => {
    kept = await leftBy(name, laterRelease);
    ({ database, installation } = kept);
    client = new Client(installation.url, before.tokens.all);
  });
  afterAll(() => kept.close());

  it('stays as it was where a migration fails, which says what to do', async () => {
    const old = await schemaOf(database);
    await database.query(`CREATE TABLE ${TAKEN} ()`);
    const { status, output } = await installation.startInVain();
    expect(status).toBe(4);
    expect(output).toContain(`relation "${TAKEN}" already exists`);
    expect(output).toContain('Nothing in it has been changed');
    expect(output).toContain('docs/upgrading.md');
    await database.query(`DROP TABLE ${TAKEN}`);
    expect(await schemaOf(database)).toEqual(old);
  });

  it('is migrated by the start once the cause is removed, and no person is taken for a new one', async () => {
    await installation.start();
    const { rows } = await database.query('SELECT count(*)::integer AS photos FROM photos');
    expect((await database.query('SELECT count(*)::integer AS photos FROM notes')).rows).toEqual(rows);
    // In their order: online ones of this release stand among them.
    const { migrations } = await schemaOf(database);
    expect(migrations.filter((name) => later.includes(name))).toEqual(later);
    expect((await database.query('SELECT FROM pg_index WHERE NOT indisvalid')).rows).toEqual([]);
    expect(installation.token()).toBeNull();
    expect(installation.link()).toBeNull();
    expect((await fetch(`${installation.url}/readyz`)).status).toBe(200);
  });

  it('has every photo with its details, byte for byte', async () => {
    const { data } = (await client.get('/photos?trashed=any&sort=id')).body;
    expect(data).toMatchObject(before.photos.map(withoutTimes));
    for (const photo of data) {
      if (photo.trashedAt !== null) continue;
      expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
      expect((await client.bytes(`/photos/${photo.id}/download?rendition=thumb`)).length).toBeGreaterThan(100);
    }
    const { usage } = (await client.get('/customer')).body;
    const live = before.photos.filter((photo: { trashedAt: unknown }) => photo.trashedAt === null);
    expect(usage).toMatchObject({ photos: live.length, trashedPhotos: before.photos.length - live.length });
  });

  it('has its tags, and finds photos by them', async () => {
    expect((await client.get('/tags')).body.data).toMatchObject(before.tags.map(withoutTimes));
    for (const { id, photoCount } of before.tags) {
      expect((await client.get(`/photos?tagIds=${id}`)).body.data).toHaveLength(photoCount);
    }
  });

  it('knows its keys, with their addresses and their separation of customers', async () => {
    const reader = new Client(installation.url, before.tokens.reader);
    expect((await reader.get('/photos')).body.error.code).toBe('ip_not_whitelisted');
    const other = new Client(installation.url, before.tokens.other);
    expect((await other.get('/photos')).body.data).toMatchObject([{ filename: 'keywords-picasa.jpg' }]);
    const people = await installation.command('user', 'list', '--customer', '1', '--json');
    const roles = JSON.parse(people.stdout).users.map(({ email, role }: { email: string; role: string }) => [
      email,
      role,
    ]);
    expect(roles).toEqual(
      expect.arrayContaining([
        ['anna@example.com', 'owner'],
        ['ben@example.com', 'editor'],
      ]),
    );
  });

  it('continues a list from its cursor, and repeats an answer under its Idempotency-Key', async () => {
    const { path, cursor } = before.list;
    const rest = await client.get(`${path.replace('limit=1', 'limit=9')}&cursor=${cursor}`);
    const all = (await client.get('/photos?sort=filename')).body.data;
    expect(rest.body.data).toEqual(all.slice(1));
    const { path: written, body, idempotencyKey, answer } = before.repeatable;
    const again = await client.post(written, body, { 'Idempotency-Key': idempotencyKey });
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', answer]);
  });

  it('shows the completed import, and completes the open one', async () => {
    const done = (await client.get(`/imports/${before.done.id}?include=photos`)).body;
    expect(done).toMatchObject({ status: before.done.status, counts: before.done.counts });
    expect(done.photos.data).toHaveLength(before.done.photos.data.length);
    const { id, registered } = before.waiting;
    const bytes = new Uint8Array(readFileSync(join(fixtures, 'photos', registered.filename)));
    // Its item again, with an address that is valid now.
    const [{ photo }] = (await client.post(`/imports/${id}/photos`, { photos: [registered] })).body.data;
    expect((await client.upload(photo.upload, bytes)).status).toBe(204);
    expect((await client.post(`/imports/${id}/finalize`)).status).toBeLessThan(300);
    const ended = await until('the import to end', async () => {
      const { body } = await client.get(`/imports/${id}`);
      return body.completedAt === null ? false : body;
    });
    expect(ended).toMatchObject({ status: 'completed', counts: { imported: 2 } });
  });

  describe('has a new customer, too, who', () => {
    let token: string;
    beforeAll(async () => {
      const { id } = await json('customer', 'create', '--name', 'First customer');
      ({ token } = await json('key', 'create', '--customer', String(id), '--name', 'all', '--scopes', 'all'));
    });
    const json = async (...args: string[]) => JSON.parse((await installation.command(...args, '--json')).stdout);

    // Whose end looks at the whole installation.
    itDoesTheMainJob(() => ({ installation, client: new Client(installation.url, token) }));
  });
});

describe.each(made)('F23: a backup of the installation that %s left behind', (name) => {
  const before = expectedOf(name);
  let original: Kept;
  let restored: Kept;
  const backups = mkdtempSync(join(tmpdir(), 'phs-backups-'));
  beforeAll(async () => {
    original = await leftBy(name);
    restored = await onEmptyDatabase(laterRelease);
  });
  afterAll(async () => {
    await original.close();
    await restored.close();
    rmSync(backups, { recursive: true });
  });

  it('is restored by a later release, which migrates it', async () => {
    const backedUp = await original.installation.command('backup', backups);
    expect(backedUp).toMatchObject({ status: 0 });
    expect((await schemaOf(original.database)).migrations).not.toEqual(expect.arrayContaining(later));
    const { installation, database } = restored;
    expect(await installation.command('restore', backups)).toMatchObject({ status: 0 });
    // In their order: online ones of this release stand among them.
    const { migrations } = await schemaOf(database);
    expect(migrations.filter((name) => later.includes(name))).toEqual(later);
    const { rows } = await original.database.query(
      'SELECT customer_id, id AS photo_id, filename AS text FROM photos ORDER BY id',
    );
    expect(rows.length).toBeGreaterThan(before.photos.length);
    expect((await database.query('SELECT * FROM notes ORDER BY photo_id')).rows).toEqual(rows);
    const verified = await installation.command('verify', '--json');
    expect([verified.status, JSON.parse(verified.stdout)]).toMatchObject([0, { ok: true, problems: [] }]);
  });

  it('has every photo byte for byte, and its keys', async () => {
    await restored.installation.start();
    const client = new Client(restored.installation.url, before.tokens.all);
    const { data } = (await client.get('/photos?trashed=any&sort=id')).body;
    expect(data).toMatchObject(before.photos.map(withoutTimes));
    for (const photo of data.filter(({ trashedAt }: { trashedAt: unknown }) => trashedAt === null))
      expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
  });

  it('of the later release is refused by this one, which writes nothing', async () => {
    const newer = mkdtempSync(join(tmpdir(), 'phs-backups-'));
    const empty = await onEmptyDatabase({});
    expect(await restored.installation.command('backup', newer)).toMatchObject({ status: 0 });
    const refused = await empty.installation.command('restore', newer);
    expect(refused).toMatchObject({
      status: 4,
      stderr: expect.stringContaining(`newer version (${later.join(', ')})`),
    });
    expect((await empty.database.query('SELECT FROM pg_tables WHERE schemaname = current_schema()')).rows).toEqual([]);
    await empty.close();
    rmSync(newer, { recursive: true });
  });
});

/** Rows as if they had been written a moment ago, so that none expires for its age. Photos were taken long before. */
function asOfNow(sql: string, madeAt: number): string {
  // One for all: rows refer to each other by times, too.
  const passed = Date.now() - madeAt;
  return sql.replace(/'(\d{4}-\d\d-\d\d [\d:.]+)\+00'/g, (text, time: string) => {
    const then = Date.parse(`${time}Z`);
    return then < madeAt - DAY_MS ? text : `'${new Date(then + passed).toISOString()}'`;
  });
}

function withoutTimes<T extends object>(shown: T): Partial<T> {
  const isTime = (name: string) => name.endsWith('At') && name !== 'takenAt';
  return Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => !isTime(name) || value === null),
  ) as Partial<T>;
}

async function schemaOf(database: pg.Client): Promise<{ rows: unknown[]; migrations: string[] }> {
  const { rows } = await database.query(
    `SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  );
  const { rows: migrations } = await database.query('SELECT name FROM migrations ORDER BY id');
  return { rows, migrations: migrations.map(({ name }) => name) };
}
