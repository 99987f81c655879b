/* @slow @rest */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { type Connection, DataDirInUseError, type RunningPostgres } from 'photo-service-postgres';
import { boundLogFile } from '../../postgres/src/log-file.js';
import { openEmbeddedPostgres } from '../../src/adapters/embedded-postgres.js';
import { DatabaseHolder } from './support/database-holder.js';
import { installAdapter } from './support/installed-adapter.js';
import { processesOn, until } from './support/processes.js';

let root: string;
let installation: string;
let dataDir: string;
/** A data folder with a database that nothing is in yet. */
let made: string;
let count = 0;
const open: RunningPostgres[] = [];
const holders: DatabaseHolder[] = [];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'embedded-'));
  // The databases of this process and of others are one account's: root's may run as another that can reach both the packages and the data.
  chmodSync(root, isReachable(join(__dirname, '../../node_modules')) ? 0o755 : 0o700);
  installation = installAdapter(join(root, 'installation'));
  made = join(root, 'made');
  await (await openEmbeddedPostgres(made, 'own')).stop();
});

/** Whether every account can reach a folder: each folder above it may be passed by others. */
function isReachable(folder: string): boolean {
  const canPass = (statSync(folder).mode & 0o001) !== 0;
  return canPass && (dirname(folder) === folder || isReachable(dirname(folder)));
}

beforeEach(() => {
  dataDir = join(root, `data-${count++}`);
});

afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.kill();
  for (const database of open.splice(0).reverse()) await database.stop();
  await until('no process on the data folder', () => processesOn(dataDir).length === 0);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Where a test is not about the making of a database, which costs more than the rest of it. */
const copyMade = () => execFileSync('cp', ['-a', made, dataDir]);

async function start(mode: 'own' | 'share' = 'own', log?: (line: string) => void): Promise<RunningPostgres> {
  const database = await openEmbeddedPostgres(dataDir, mode, log);
  open.push(database);
  return database;
}

function hold(mode: 'own' | 'share' = 'own', path?: string): DatabaseHolder {
  const holder = DatabaseHolder.start(installation, dataDir, mode, path === undefined ? {} : { path });
  holders.push(holder);
  return holder;
}

async function query(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const keep = (connection: Connection, n: number) =>
  query(connection, `CREATE TABLE IF NOT EXISTS kept (n integer); INSERT INTO kept VALUES (${n})`);
const kept = async (connection: Connection) =>
  (await query(connection, 'SELECT n FROM kept ORDER BY n')).map((row) => row['n']);

const supervisors = () => processesOn(dataDir).filter((each) => each.command.includes('/bin/sh -c'));
const postmasterPid = () => Number(readFileSync(join(dataDir, 'pg18', 'postmaster.pid'), 'utf8').split('\n')[0]);

describe('start and stop', () => {
  it('makes a database on an empty folder, reachable through a private socket only', async () => {
    const { connection } = await start();
    const [row] = await query(
      connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('listen_addresses') AS addresses, current_setting('server_encoding') AS encoding,
              current_setting('server_version_num')::int / 10000 AS version, inet_server_port() AS port,
              datlocprovider AS provider, datlocale AS locale, rolsuper AS super
         FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`,
    );
    expect(row).toEqual({
      fsync: 'on',
      commit: 'on',
      addresses: '',
      encoding: 'UTF8',
      version: 18,
      port: null,
      provider: 'b',
      locale: 'C.UTF-8',
      super: false,
    });
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  });

  it('admits no one without the password, not even the superuser', async () => {
    copyMade();
    const { connection } = await start();
    await expect(query({ ...connection, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const superuser = { ...connection, user: 'postgres', database: 'postgres', password: '' };
    await expect(query(superuser, 'SELECT 1')).rejects.toThrow();
  });

  it('keeps data and password over a restart, and its log lines are free of the password', async () => {
    const lines: string[] = [];
    const first = await start('own', (line) => lines.push(line));
    await keep(first.connection, 1);
    await first.stop();
    const second = await start('own', (line) => lines.push(line));
    expect(await kept(second.connection)).toEqual([1]);
    expect(second.connection.password).toBe(first.connection.password);
    const written = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n') + written).not.toContain(first.connection.password);
  });

  it('leaves no process and no socket when stopped, though clients are still connected', async () => {
    copyMade();
    const database = await start();
    const client = new pg.Client(database.connection);
    const cut = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    expect(processesOn(dataDir).length).toBeGreaterThan(0);
    await Promise.all([database.stop(), database.stop()]);
    expect(processesOn(dataDir)).toEqual([]);
    expect(readdirSync(dataDir).sort()).toEqual(['pg18', 'postgres-password', 'postgres.lock', 'postgres.log']);
    await cut;
  });

  it('bounds its log file by moving it aside', async () => {
    mkdirSync(dataDir);
    const log = join(dataDir, 'postgres.log');
    writeFileSync(log, 'x'.repeat(101));
    await boundLogFile(log, 101);
    expect(statSync(log).size).toBe(101);
    await boundLogFile(log, 100);
    expect(statSync(log).size).toBe(0);
    expect(statSync(`${log}.1`).size).toBe(101);
  });
});

describe('after kill -9', () => {
  it('of the owner, the server shuts down by itself and the next start has everything', async () => {
    copyMade();
    const holder = hold();
    await keep(await holder.opened(), 1);
    await holder.kill();
    await until('the orphaned server has ended', () => processesOn(dataDir).length === 0);
    expect(readdirSync(join(dataDir, 'pg18'))).not.toContain('postmaster.pid');
    expect(await kept((await start()).connection)).toEqual([1]);
  });

  it('of the owner, a start at once waits for the orphan to end', async () => {
    copyMade();
    const holder = hold();
    await keep(await holder.opened(), 1);
    await holder.kill();
    expect(await kept((await start()).connection)).toEqual([1]);
  });

  it('of every process at once, the next start recovers every committed row', async () => {
    copyMade();
    for (let round = 1; round <= 3; round++) {
      const holder = hold();
      await keep(await holder.opened(), round);
      for (const { pid } of processesOn(dataDir)) kill(pid);
      await holder.exited;
    }
    expect(await kept((await start()).connection)).toEqual([1, 2, 3]);
  });

  it('of owner and supervisor, the next start ends the server that has lost both', async () => {
    copyMade();
    const holder = hold();
    await keep(await holder.opened(), 1);
    const orphan = postmasterPid();
    for (const { pid } of supervisors()) kill(pid);
    await holder.kill();
    expect(await kept((await start()).connection)).toEqual([1]);
    expect(postmasterPid()).not.toBe(orphan);
  });

  it('of the supervisor, the owner hears of it and no server stays', async () => {
    copyMade();
    const database = await start();
    for (const { pid } of supervisors()) kill(pid);
    expect(await database.ended).toMatch(/SIGKILL/);
    await database.stop();
    expect(processesOn(dataDir)).toEqual([]);
  });

  it('of the server, the owner hears of it and can start anew', async () => {
    copyMade();
    const database = await start();
    await keep(database.connection, 1);
    kill(postmasterPid());
    expect(await database.ended).toMatch(/exited/);
    await database.stop();
    expect(await kept((await start()).connection)).toEqual([1]);
  });

  it('during the first start, the next one begins afresh', async () => {
    for (const victims of ['owner', 'everything'] as const) {
      const holder = hold();
      await until('half a cluster', () =>
        (existsSync(dataDir) ? readdirSync(dataDir) : []).some(
          (name) => name.startsWith('pg18.new-') && existsSync(join(dataDir, name, 'global')),
        ),
      );
      expect(readdirSync(dataDir)).not.toContain('pg18');
      for (const { pid } of victims === 'everything' ? processesOn(dataDir) : []) kill(pid);
      await holder.kill();
    }
    const database = await start();
    await keep(database.connection, 1);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('pg18'))).toEqual(['pg18']);
  });
});

describe('two processes on one folder', () => {
  it('refuses a second owner with a sentence, and leaves the first alone', async () => {
    copyMade();
    const holder = hold();
    const connection = await holder.opened();
    const refusal = await openEmbeddedPostgres(dataDir, 'own').catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(DataDirInUseError);
    expect((refusal as Error).message).toContain(dataDir);
    expect((refusal as Error).message).toMatch(/stop it first.*DATA_DIR/);
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('refuses when the owner is alive and does not answer', async () => {
    copyMade();
    const holder = hold();
    const connection = await holder.opened();
    holder.process.kill('SIGSTOP');
    await expect(openEmbeddedPostgres(dataDir, 'own')).rejects.toThrow(/does not respond/);
    await expect(openEmbeddedPostgres(dataDir, 'share')).rejects.toThrow(DataDirInUseError);
    holder.process.kill('SIGCONT');
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('attaches in mode share, and letting go stops nothing', async () => {
    copyMade();
    const holder = hold();
    await keep(await holder.opened(), 1);
    const guest = await start('share');
    expect(await kept(guest.connection)).toEqual([1]);
    await guest.stop();
    expect(await kept(guest.connection)).toEqual([1]);
  });

  it('tells a guest when the owner stops', async () => {
    copyMade();
    const holder = hold();
    await holder.opened();
    const guest = await start('share');
    await holder.stop();
    expect(await guest.ended).toMatch(/has stopped/);
  });

  it('lets exactly one of two services win a race on an empty folder', async () => {
    await raceOfOwners();
  });

  it('lets exactly one win where the system offers no file lock', async () => {
    // By `unshare` root runs the database where no other account can reach it.
    const programs = join(root, 'without-flock');
    mkdirSync(programs);
    const unshare = ['/usr/bin/unshare', '/bin/unshare'].find(existsSync);
    if (unshare !== undefined) symlinkSync(unshare, join(programs, 'unshare'));
    await raceOfOwners(programs);
  });

  async function raceOfOwners(path?: string): Promise<void> {
    const outcomes = await Promise.all(
      [hold('own', path), hold('own', path)].map((holder) =>
        holder.opened().then(
          (connection) => ({ connection }),
          (error: Error) => ({ refused: error.message }),
        ),
      ),
    );
    const refusals = outcomes.flatMap((each) => ('refused' in each ? [each.refused] : []));
    expect(refusals).toEqual([expect.stringMatching(/^DataDirInUseError: /)]);
    const winner = outcomes.find((each) => 'connection' in each) as { connection: Connection };
    expect(await query(winner.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }

  it('gives several commands at once one database', async () => {
    const commands = [hold('share'), hold('share'), hold('share'), hold('share')];
    const connections = await Promise.all(commands.map((each) => each.opened()));
    expect(new Set(connections.map((each) => each.host)).size).toBe(1);
    await Promise.all(connections.map((connection) => query(connection, 'SELECT 1')));
    await Promise.all(commands.map((each) => each.stop()));
  });

  it('keeps the database of a command that has finished until the others have, too', async () => {
    copyMade();
    const first = hold('share');
    await first.opened();
    const second = hold('share');
    const connection = await second.opened();
    const stopped = first.stop();
    await first.logged(/waiting for 1 other/);
    await keep(connection, 1);
    await second.stop();
    await stopped;
    expect(await kept((await start()).connection)).toEqual([1]);
  });

  it('lets a service wait for the command that holds the folder', async () => {
    copyMade();
    const command = hold('share');
    await command.opened();
    const service = start();
    await command.stop();
    expect(await query((await service).connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('a folder in an unusual state', () => {
  it('is repaired when the password file was lost', async () => {
    copyMade();
    const first = await start();
    await keep(first.connection, 1);
    await first.stop();
    rmSync(join(dataDir, 'postgres-password'));
    const second = await start();
    expect(second.connection.password).not.toBe(first.connection.password);
    expect(await kept(second.connection)).toEqual([1]);
  });

  it('works at a path that is too long for a socket', async () => {
    dataDir = join(dataDir, 'd'.repeat(120), 'e'.repeat(120));
    const database = await start();
    await keep(database.connection, 1);
    expect(Buffer.byteLength(database.connection.host)).toBeLessThan(90);
    await expect(openEmbeddedPostgres(dataDir, 'own')).rejects.toThrow(DataDirInUseError);
    expect(await kept((await start('share')).connection)).toEqual([1]);
    const places = database.connection.host;
    for (const each of open.splice(0).reverse()) await each.stop();
    expect(() => statSync(places)).toThrow(/ENOENT/);
  });

  it('works at a path with commas, quotes and blanks', async () => {
    dataDir = join(dataDir, `my "photos", Ana's`);
    const database = await start();
    expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(database.connection.host).toContain(dataDir);
  });

  it.each([
    ['another version', 'pg18/PG_VERSION', '17\n', /Postgres 17.*phs backup.*phs restore.*DATABASE_URL/],
    ['a folder of an older program', 'pg16/PG_VERSION', '16\n', /Postgres 16.*phs backup.*phs restore.*DATABASE_URL/],
    ['files that are no database', 'pg18/notes.txt', 'hello', /does not contain a Postgres database: move it away/],
  ])('is refused with what to do: %s', async (_name, file, content, sentence) => {
    mkdirSync(join(dataDir, file, '..'), { recursive: true });
    writeFileSync(join(dataDir, file), content);
    await expect(openEmbeddedPostgres(dataDir, 'own')).rejects.toThrow(sentence);
    expect(readFileSync(join(dataDir, file), 'utf8')).toBe(content);
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it went with its parent
  }
}
