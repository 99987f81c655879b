import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations, tables } from '../registry.js';
import { BoundedPool } from './bounded-pool.js';
import { SnakeCaseNames } from './columns.js';
import { clientOptions, type DatabaseAddress, directly, LIMIT_MS } from './connection.js';
import { statementError } from './database-errors.js';
import { PreparingClient } from './prepared.js';
import { type RowSecurity, secureTenantTables } from './row-security.js';

export interface DatabaseOptions extends DatabaseAddress {
  /** Maximum number of connections of this process; default 10. */
  readonly poolSize?: number | undefined;
  /** False behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean | undefined;
}

/** For a server that does not even report that a statement took too long. */
const SILENCE_MS = 8_000;
/** A process that stopped in the middle of a transaction must not lock its rows for longer. */
const IDLE_TRANSACTION_MS = 30_000;
/** Key of the `pg_advisory_lock` for migrations: any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_046_133_812;
const OLDEST_VERSION = 150_000;

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

/** A migration cannot be run on this database. Everything in it is as it was before. */
export class MigrationFailed extends Error {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The database could not be migrated to this version: ${reason}. Nothing in it has been changed: remove the cause, or go back to the previous version (docs/upgrading.md).`,
      { cause },
    );
  }
}

/** How migrations connect: without time limits, because they may take long. Also for the command of TypeORM. */
export function migrationOptions(address: DatabaseAddress): DataSourceOptions {
  return {
    ...options({ ...clientOptions(directly(address), { max: 2, connectionTimeoutMillis: LIMIT_MS }) }),
    migrations: [...migrations],
    // Or none: a failed migration leaves the schema of the previous version, not one that no version knows.
    migrationsTransactionMode: 'all',
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
      await dataSource.runMigrations().catch((error: unknown) => {
        const failure = statementError(error);
        throw failure === error ? new MigrationFailed(error) : failure;
      });
      const rowSecurity = await secureTenantTables((sql, parameters) => holder.query(sql, parameters));
      await holder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      return rowSecurity;
    } finally {
      await holder.release();
    }
  } catch (error) {
    throw error instanceof MigrationFailed ? error : statementError(error);
  } finally {
    await dataSource.destroy();
  }
}

function options(extra: object) {
  return {
    type: 'postgres' as const,
    driver: { ...pg, Pool: BoundedPool },
    // All of it in `extra`: TypeORM's own URL parser supports less than that of pg.
    extra,
    entities: [...tables],
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
  if (encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, not ${encoding}.`);
}
