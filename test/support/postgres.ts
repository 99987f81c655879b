import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { RunningPostgres } from 'photo-service-postgres';
import { openEmbeddedPostgres } from '../../src/adapters/embedded-postgres.js';
import { migrate } from '../../src/adapters/typeorm/data-source.js';
import type { DatabaseAddress } from '../../src/adapters/typeorm/database/connection.js';

/** A database of its own: on the server of TEST_DATABASE_URL if that is set, else on an embedded one. */
export interface TestDatabase extends DatabaseAddress {
  /** Ends what is still connected and removes the database. */
  close(): Promise<void>;
}

/** What DATABASE_URL must be for a program to use it. */
export function urlOf({ url, connection }: DatabaseAddress): string {
  if (url !== undefined) return url;
  if (connection === undefined) throw new Error('a test database has an address');
  const { user, password, host, port, database } = connection;
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

interface Server {
  addressOf(database: string): DatabaseAddress;
  readonly administrator: Administrator;
  /** The name of a migrated database that nobody is connected to; made when first asked for, and kept for later suites. */
  template(): Promise<string>;
  stop(): Promise<void>;
}

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const DUPLICATE_DATABASE = '42P04';

/** The server of the test file: started with its first database, stopped with its last. */
let server: Promise<Server> | undefined;
let open = 0;

/** With the tables of the newest migration, and no rows: copied from a template, which takes a fraction of the time that migrating takes. */
export const testDatabase = () => newDatabase(true);

/** Without tables, for what migrates. */
export const emptyDatabase = () => newDatabase(false);

async function newDatabase(migrated: boolean): Promise<TestDatabase> {
  open += 1;
  server ??= process.env.TEST_DATABASE_URL ? givenServer(process.env.TEST_DATABASE_URL) : embeddedServer();
  const { addressOf, administrator, stop, template } = await server;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const from = migrated ? `TEMPLATE ${await template()}` : '';
  // Copied as files, which takes two thirds of the time of copying by the log.
  await administrator.query(`CREATE DATABASE ${name} ${from} STRATEGY FILE_COPY`);
  return {
    ...addressOf(name),
    async close() {
      await drop(administrator, name);
      open -= 1;
      if (open > 0) return;
      server = undefined;
      await administrator.end();
      await stop();
    },
  };
}

/** Not `WITH (FORCE)`: that is refused while the server vacuums the database, which a plain DROP ends by itself. */
async function drop(administrator: Administrator, name: string): Promise<void> {
  const others = 'FROM pg_stat_activity WHERE datname = $1 AND usename = current_user';
  await administrator.query(`SELECT pg_terminate_backend(pid) ${others}`, [name]);
  await administrator.query(`DROP DATABASE ${name}`);
}

/** How pg connects to it without TypeORM. */
export function pgConfig({ url, connection }: DatabaseAddress): pg.ClientConfig {
  return url === undefined ? { ...connection } : { connectionString: url };
}

/** Creates and removes databases on one connection: to connect takes longer than to remove a database. */
class Administrator {
  private client: Promise<pg.Client> | undefined;

  constructor(private readonly address: DatabaseAddress) {}

  async query(sql: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    this.client ??= this.connect();
    return (await this.client).query(sql, [...values]);
  }

  async end(): Promise<void> {
    const client = await this.client;
    this.client = undefined;
    await client?.end();
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client(pgConfig(this.address));
    // A test may have ended it.
    client.on('error', () => {
      this.client = undefined;
    });
    try {
      await client.connect();
    } catch (error) {
      this.client = undefined;
      throw error;
    }
    return client;
  }
}

async function givenServer(url: string): Promise<Server> {
  const addressOf = (database: string) => {
    const other = new URL(url);
    other.pathname = `/${database}`;
    return { url: other.href };
  };
  return serverAt(addressOf, async () => {});
}

function serverAt(addressOf: Server['addressOf'], stop: () => Promise<void>): Server {
  const administrator = new Administrator(addressOf('postgres'));
  return { addressOf, administrator, template: templateOn(addressOf, administrator), stop };
}

async function exists(administrator: Administrator, database: string): Promise<boolean> {
  const { rowCount } = await administrator.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  return rowCount === 1;
}

/** Another one as soon as any migration is edited, added or removed. */
function migrationsDigest(): string {
  const folder = join(__dirname, '../../src/adapters/typeorm/migrations');
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

function templateOn(addressOf: Server['addressOf'], administrator: Administrator): Server['template'] {
  let made: Promise<string> | undefined;
  const make = async () => {
    const name = `template_${migrationsDigest()}`;
    if (await exists(administrator, name)) return name;
    const draft = `draft_${randomBytes(8).toString('hex')}`;
    await administrator.query(`CREATE DATABASE ${draft}`);
    await migrate(addressOf(draft));
    await administrator.query(`ALTER DATABASE ${draft} RENAME TO ${name}`).catch(async (error) => {
      // Another process was faster, on a server that both were given.
      if (error.code !== DUPLICATE_DATABASE) throw error;
      await administrator.query(`DROP DATABASE ${draft}`);
    });
    return name;
  };
  return () => {
    made ??= make();
    return made;
  };
}

/** One folder per process: the files that jest runs in it one after another make the cluster only once. */
async function embeddedServer(): Promise<Server> {
  removeLeftovers();
  const folder = join(tmpdir(), `${PREFIX}${process.pid}`);
  const postgres: RunningPostgres = await openEmbeddedPostgres(folder, 'own', undefined, SETTINGS);
  const addressOf = (database: string) => ({ connection: { ...postgres.connection, database } });
  return serverAt(addressOf, () => postgres.stop());
}

/** What these databases hold need not survive the machine, and deadlocks are found soon. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', deadlock_timeout: '100ms' };

const PREFIX = 'photo-service-test-';

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
