/* @rest */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  clusterFolder,
  DataDirInUseError,
  type EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  installedBinaries,
  OtherVersionError,
  openPostgres,
  type RunningPostgres,
} from 'photo-service-postgres';
import { processesOn } from '../e2e/support/processes.js';

let dataDir: string;
const running: RunningPostgres[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'postgres-options-'));
  chmodSync(dataDir, 0o711);
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(options?: EmbeddedPostgresOptions): Promise<RunningPostgres> {
  const database = await openPostgres(dataDir, options);
  running.push(database);
  return database;
}

async function rows({ connection }: RunningPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  return client
    .query(sql)
    .then(
      (result) => result.rows,
      (error: Error) => Promise.reject(error),
    )
    .finally(() => client.end());
}

const refusal = (options?: EmbeddedPostgresOptions): Promise<EmbeddedPostgresError> =>
  openPostgres(dataDir, options).then(
    () => Promise.reject(new Error('it was opened')),
    (error: EmbeddedPostgresError) => error,
  );

test('without options the database is app, its processes are called app, and no port is open', async () => {
  const lines: string[] = [];
  const database = await open({ log: (line) => lines.push(line) });
  expect(database.connection).toMatchObject({ user: 'app', database: 'app' });
  const [found] = await rows(
    database,
    `SELECT current_user AS user, current_setting('cluster_name') AS cluster, current_setting('fsync') AS fsync,
            current_setting('listen_addresses') AS addresses`,
  );
  expect(found).toEqual({ user: 'app', cluster: 'app', fsync: 'on', addresses: '' });
  const shell = processesOn(dataDir).find(({ command }) => command.includes('/bin/sh -c'));
  expect(shell?.command).toContain(' app-postgres ');
  expect(lines.join('\n')).toMatch(/creating a new database/);
  expect((await refusal()).message).toMatch(
    /another App process \(pid \d+\): stop it first, or use another data folder\.$/,
  );
});

test('an application names its database, adds roles and sets the server up, but opens no port', async () => {
  const options = {
    application: 'Ørsted & Søn Notes',
    database: 'user',
    initialSql: ['CREATE ROLE reader NOLOGIN', 'GRANT reader TO "user"'],
    settings: { max_connections: '33', listen_addresses: '*', port: '6543' },
  };
  const database = await open(options);
  expect(database.connection).toMatchObject({ user: 'user', database: 'user', port: 5432 });
  const ask = `SELECT current_setting('cluster_name') AS cluster, current_setting('max_connections') AS connections,
                      current_setting('listen_addresses') AS addresses, pg_has_role('reader', 'member') AS reader`;
  const expected = { cluster: 'rsted-s-n-notes', connections: '33', addresses: '', reader: true };
  expect(await rows(database, ask)).toEqual([expected]);
  await running.pop()?.stop();
  // Roles are made once: the same statements would fail now.
  expect(await rows(await open(options), ask)).toEqual([expected]);
});

test('SQL that fails leaves no database behind', async () => {
  const error = await refusal({ initialSql: ['CREATE ROLE reader', 'CREATE ROLE reader'] });
  expect(error).toMatchObject({ code: 'preparation_failed', name: 'EmbeddedPostgresError' });
  expect(error.message).toMatch(/"reader" already exists/);
  await open();
});

test.each<[string, EmbeddedPostgresOptions]>([
  ['a name in capitals', { database: 'App' }],
  ['a name with a quote', { database: 'a"b' }],
  ['the name of the superuser', { database: 'postgres' }],
  ["a prefix of Postgres' own", { database: 'pg_app' }],
  ['no name', { database: '' }],
  ['a name that Postgres would cut', { database: 'a'.repeat(64) }],
  ['two lines of SQL', { initialSql: ['CREATE ROLE a;\nCREATE ROLE b'] }],
  ['a setting that is an option', { settings: { '-h': 'x' } }],
  ['a setting that a shell would read', { settings: { search_path: '$HOME' } }],
])('%s is refused before anything is done', async (_, options) => {
  await expect(openPostgres(join(dataDir, 'new'), options)).rejects.toThrow(TypeError);
  expect(() => rmSync(join(dataDir, 'new'))).toThrow(/ENOENT/);
});

test('an error takes the advice of an application, and stays what it is', async () => {
  mkdirSync(clusterFolder(dataDir));
  writeFileSync(join(clusterFolder(dataDir), 'PG_VERSION'), '17\n');
  const error = await refusal();
  expect(error).toBeInstanceOf(OtherVersionError);
  expect(error).toMatchObject({ code: 'other_version', version: '17', ownVersion: '18' });
  const advised = error.withAdvice('ask the vendor');
  expect(advised).toBeInstanceOf(OtherVersionError);
  expect(advised).toMatchObject({ code: 'other_version', version: '17' });
  expect(advised.message).toBe(`${error.problem}: ask the vendor.`);
  const inUse = new DataDirInUseError('/data', 'another process').withAdvice('wait');
  expect(inUse).toMatchObject({ name: 'DataDirInUseError', dataDir: '/data', holder: 'another process' });
  expect(inUse.message).toBe('The data folder /data is in use by another process: wait.');
});

test('the programs of the embedded Postgres exist', () => {
  expect(installedBinaries().postgres).toMatch(/bin.postgres(\.exe)?$/);
});
