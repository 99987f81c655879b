import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { apiKeyTable } from '../access/api-key.table.js';
import { auditTable } from '../audit/audit.table.js';
import { customerTable } from '../customers/customer.table.js';
import { idempotencyKeyTable } from '../idempotency/idempotency-key.table.js';
import { importTable } from '../imports/import.table.js';
import { importPhotoTable } from '../imports/import-photo.table.js';
import { jobTable } from '../jobs/job.table.js';
import { Customers1763700000001 } from '../migrations/1763700000001-customers.js';
import { Imports1763700000002 } from '../migrations/1763700000002-imports.js';
import { Photos1763700000003 } from '../migrations/1763700000003-photos.js';
import { Jobs1763700000004 } from '../migrations/1763700000004-jobs.js';
import { RateWindows1763700000005 } from '../migrations/1763700000005-rate-windows.js';
import { IdempotencyKeys1763700000006 } from '../migrations/1763700000006-idempotency-keys.js';
import { Upkeep1763700000007 } from '../migrations/1763700000007-upkeep.js';
import { PhotoLists1763700000008 } from '../migrations/1763700000008-photo-lists.js';
import { TagsOfMany1763700000009 } from '../migrations/1763700000009-tags-of-many.js';
import { Outages1763700000010 } from '../migrations/1763700000010-outages.js';
import { Webhooks1763700000011 } from '../migrations/1763700000011-webhooks.js';
import { BlobOwners1763700000012 } from '../migrations/1763700000012-blob-owners.js';
import { Users1763700000013 } from '../migrations/1763700000013-users.js';
import { Sessions1763700000014 } from '../migrations/1763700000014-sessions.js';
import { ForgottenImports1763700000015 } from '../migrations/1763700000015-forgotten-imports.js';
import { Traces1763700000016 } from '../migrations/1763700000016-traces.js';
import { DepartedTags1763700000018 } from '../migrations/1763700000018-departed-tags.js';
import { CausesOfJobs1763700000019 } from '../migrations/1763700000019-causes-of-jobs.js';
import { JobFailures1763700000020 } from '../migrations/1763700000020-job-failures.js';
import { KeyAddresses1763700000030 } from '../migrations/1763700000030-key-addresses.js';
import { PhotoTotals1763700000031 } from '../migrations/1763700000031-photo-totals.js';
import { ClaimLeases1763700000040 } from '../migrations/1763700000040-claim-leases.js';
import { SessionsByLink1763700000041 } from '../migrations/1763700000041-sessions-by-link.js';
import { AuditOfMany1763700000061 } from '../migrations/1763700000061-audit-of-many.js';
import { photoTable } from '../photos/photo.table.js';
import { tagTable } from '../tags/tag.table.js';
import { sessionTable, userTable } from '../users/user.table.js';
import { deliveryTable, webhookEndpointTable } from '../webhooks/webhook.table.js';
import { BoundedPool } from './bounded-pool.js';
import { SnakeCaseNames } from './columns.js';
import { statementError } from './database-errors.js';
import { PreparingClient } from './prepared.js';
import { type RowSecurity, secureTenantTables } from './row-security.js';
import { getTypeParser } from './value-parsers.js';

/** Where the database is: a URL, or the result of `openEmbeddedPostgres`. */
export interface DatabaseAddress {
  readonly url?: string | undefined;
  /** The same database without the pooler that `url` leads through, for connections that need their own session. Default: `url`. */
  readonly directUrl?: string | undefined;
  readonly connection?:
    | {
        /** Name, address, or the folder of a unix socket. */
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      }
    | undefined;
}

export interface DatabaseOptions extends DatabaseAddress {
  /** Maximum number of connections of this process; default 10. */
  readonly poolSize?: number | undefined;
  /** False behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean | undefined;
}

/** The wait for a connection from the pool, and the longest time of one statement (API.md §4.4). */
const LIMIT_MS = 5_000;
/** For a server that does not even report that a statement took too long. */
const SILENCE_MS = 8_000;
/** A process that stopped in the middle of a transaction must not lock its rows for longer. */
const IDLE_TRANSACTION_MS = 30_000;
/** Key of the `pg_advisory_lock` for migrations: any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_046_133_812;
const OLDEST_VERSION = 150_000;

/** Oldest first. Released migrations are never changed. */
export const migrations = [
  Customers1763700000001,
  Imports1763700000002,
  Photos1763700000003,
  Jobs1763700000004,
  RateWindows1763700000005,
  IdempotencyKeys1763700000006,
  Upkeep1763700000007,
  PhotoLists1763700000008,
  Outages1763700000010,
  Webhooks1763700000011,
  BlobOwners1763700000012,
  TagsOfMany1763700000009,
  Users1763700000013,
  Sessions1763700000014,
  ForgottenImports1763700000015,
  Traces1763700000016,
  DepartedTags1763700000018,
  JobFailures1763700000020,
  CausesOfJobs1763700000019,
  KeyAddresses1763700000030,
  PhotoTotals1763700000031,
  ClaimLeases1763700000040,
  SessionsByLink1763700000041,
  AuditOfMany1763700000061,
];

/**
 * Opens the database for the service, after migrating its tables; any number of processes may do so at once. Destroy it at the end. Errors:
 * `service_unavailable` when it cannot be reached; an Error that says what to do when it can never work.
 */
export async function openDataSource({
  poolSize = 10,
  prepare = true,
  ...address
}: DatabaseOptions): Promise<DataSource> {
  const rowSecurity = await migrate(address);
  const limits = {
    max: poolSize,
    connectionTimeoutMillis: LIMIT_MS,
    idleTimeoutMillis: 30_000,
    statement_timeout: LIMIT_MS,
    query_timeout: SILENCE_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  };
  const Client = prepare ? PreparingClient : pg.Client;
  const direct = clientOptions(directly(address), limits);
  const extra = { ...clientOptions(address, limits), Client, direct, rowSecurity };
  return opened(new DataSource({ ...options(extra), migrations: [] }));
}

/** How migrations connect: without time limits, because they may take long. Also for the command of TypeORM. */
export function migrationOptions(address: DatabaseAddress): DataSourceOptions {
  return {
    ...options({ ...clientOptions(directly(address), { max: 2, connectionTimeoutMillis: LIMIT_MS }) }),
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
  };
}

/**
 * Migrates the tables and the policies on their rows. Concurrent processes wait for the first, and find nothing left to do.
 * @param only Names of the migrations to run, for an older schema; default: all.
 */
export async function migrate(address: DatabaseAddress, only?: readonly string[]): Promise<RowSecurity> {
  const chosen = migrations.filter(({ name }) => only?.includes(name) ?? true);
  const dataSource = await opened(new DataSource({ ...migrationOptions(address), migrations: chosen }));
  try {
    await requireUsable(dataSource);
    const holder = dataSource.createQueryRunner();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await dataSource.runMigrations();
      const rowSecurity = await secureTenantTables((sql, parameters) => holder.query(sql, parameters));
      await holder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      return rowSecurity;
    } finally {
      await holder.release();
    }
  } catch (error) {
    throw statementError(error);
  } finally {
    await dataSource.destroy();
  }
}

/** Options of one connection without a pool. */
export function connectionTo(address: DatabaseAddress): pg.ClientConfig {
  return clientOptions(directly(address), { connectionTimeoutMillis: LIMIT_MS });
}

/** Options of a connection outside the pool, for example one that listens. */
export function clientConfig(dataSource: DataSource): pg.ClientConfig {
  return (dataSource.options.extra as { direct: pg.ClientConfig }).direct;
}

function directly({ url, directUrl, connection }: DatabaseAddress): DatabaseAddress {
  return { url: directUrl ?? url, connection };
}

function clientOptions({ url, connection }: DatabaseAddress, limits: pg.PoolConfig): pg.PoolConfig {
  return {
    ...(url === undefined ? connection : { connectionString: url }),
    ...limits,
    keepAlive: true,
    application_name: 'photo-service',
    // Settings that a server may have changed, and that our SQL relies on.
    options: '-c default_transaction_isolation=read\\ committed -c timezone=UTC -c datestyle=ISO',
    types: { getTypeParser },
  };
}

function options(extra: object) {
  return {
    type: 'postgres' as const,
    driver: { ...pg, Pool: BoundedPool },
    // All of it in `extra`: TypeORM's own URL parser supports less than that of pg.
    extra,
    entities: [
      customerTable,
      apiKeyTable,
      photoTable,
      tagTable,
      importTable,
      importPhotoTable,
      jobTable,
      idempotencyKeyTable,
      webhookEndpointTable,
      deliveryTable,
      userTable,
      sessionTable,
      auditTable,
    ],
    namingStrategy: new SnakeCaseNames(),
    synchronize: false,
    installExtensions: false,
    logging: false as const,
    // The pool has dropped the connection already, and the next call gets a new one.
    poolErrorHandler: () => {},
  };
}

async function opened(dataSource: DataSource): Promise<DataSource> {
  try {
    return await dataSource.initialize();
  } catch (error) {
    throw statementError(error);
  }
}

async function requireUsable(dataSource: DataSource): Promise<void> {
  const [{ version, encoding }] = await dataSource.query(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
  );
  if (version < OLDEST_VERSION) throw new Error('The database must be PostgreSQL 15 or newer.');
  if (encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, and this one has ${encoding}.`);
}
