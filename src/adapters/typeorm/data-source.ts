import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  DefaultNamingStrategy,
  type MigrationInterface,
  type NamingStrategyInterface,
} from 'typeorm';
import { BeforeFirstRelease, refuseBeforeFirstRelease } from '../../core/backup/before-first-release.js';
import { anyMigrationsRun, migrationsRun, type Query } from './database/catalogue.js';
import { BoundedPool, clientOptions, type DatabaseAddress, directly, LIMIT_MS } from './database/connection.js';
import { type RowSecurity, secureTenantTables } from './database/row-security.js';
import { columnName } from './database/sql.js';
import { isConflict, isLockTimeout, PreparingClient, statementError } from './database/transaction.js';
import { migrations, tables } from './registry.js';

/** For a server that does not even report that a statement took too long. */
const SILENCE_MS = 8_000;
/** A process that stopped in the middle of a transaction must not lock its rows for longer. */
const IDLE_TRANSACTION_MS = 30_000;
/** Key of the `pg_advisory_lock` for migrations: any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_046_133_812;
/** The longest time that migrations wait for a table: everything that needs it meanwhile waits behind them. */
const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 100;
const OLDEST_VERSION = 150_000;

/**
 * Opens the database for the service, after migrating its tables; any number of processes may do so at once. Destroy it at the end. Errors:
 * `service_unavailable` when it cannot be reached; `BeforeFirstRelease`, or another Error that says what to do, when it can never work.
 */
export async function openDataSource({
  poolSize = 10,
  prepare = true,
  ...address
}: DatabaseAddress & {
  /** Maximum number of connections of this process. */
  readonly poolSize?: number | undefined;
  /** False behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean | undefined;
}): Promise<DataSource> {
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

/** Its name ends with the time of its creation; if it is `online`, others may write while it runs (docs/decisions/0075). */
export type Migration = (new () => MigrationInterface) & { readonly online?: boolean };

/** A migration cannot be run on this database. */
export class MigrationFailed extends Error {
  /** @param isOnline Whether the tables have been migrated, and what follows has failed; otherwise everything is as it was before. */
  constructor(cause: unknown, isOnline: boolean) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      isOnline
        ? `The tables are those of this version, but the database could not be migrated to the end: ${reason}. Remove the cause and start again, it continues there (docs/upgrading.md).`
        : `The database could not be migrated to this version: ${reason}. Nothing in it has been changed: remove the cause, or go back to the previous version (docs/upgrading.md).`,
      { cause },
    );
  }
}

/** Returns the options with which migrations connect: without time limits, because they may take long. Also for the command of TypeORM. */
export function migrationOptions(address: DatabaseAddress, lockTimeoutMs = 0): DataSourceOptions {
  const client = clientOptions(directly(address), { max: 2, connectionTimeoutMillis: LIMIT_MS });
  return {
    ...options({ ...client, options: `${client.options} -c lock_timeout=${lockTimeoutMs}` }),
    migrations: [...migrations],
    // Or none: a failed migration leaves the schema of the previous version, not one that no version knows.
    migrationsTransactionMode: 'all',
  };
}

/**
 * Migrates the tables and the policies on their rows. Concurrent processes wait for the first, and find nothing left to do. Others may read and
 * write meanwhile: no statement of theirs waits for longer than the transaction of the tables takes, and LOCK_TIMEOUT_MS.
 * @param chosen The migrations to run: fewer for an older schema, more for one that is not released yet; default: those of this version.
 */
export async function migrate(
  address: DatabaseAddress,
  chosen: readonly Migration[] = migrations,
): Promise<RowSecurity> {
  const isOnline = (migration: object) => 'online' in migration;
  const ofTables = chosen.filter((migration) => !isOnline(migration));
  const dataSource = await opened(
    new DataSource({ ...migrationOptions(address, LOCK_TIMEOUT_MS), ...quietly, migrations: ofTables }),
  );
  const holder = dataSource.createQueryRunner();
  const query: Query = (sql, parameters) => holder.query(sql, parameters);
  try {
    const [{ version, encoding }] = await holder.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
    );
    if (version < OLDEST_VERSION) throw new Error('The database must be PostgreSQL 15 or newer.');
    if (encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, not ${encoding}.`);
    // Before anything waits for a lock, or is written. Tables of a newer release are not refused (docs/upgrading.md, Going back).
    refuseBeforeFirstRelease('database', await anyMigrationsRun(query));
    // Asks again and again: building an index waits for statements that began before, of which a wait for this lock would be one.
    const locking = 'SELECT pg_try_advisory_lock($1) AS locked';
    while (!(await holder.query(locking, [MIGRATION_LOCK]))[0].locked) await delay(PAUSE_MS);
    await runPending(dataSource, false);
    const names = new Set(await migrationsRun((sql) => holder.query(sql)));
    const online = chosen.filter((migration) => isOnline(migration) && !names.has(migration.name));
    if (online.length > 0) {
      const options = { ...migrationOptions(address), ...quietly, migrations: online };
      const separately = await opened(new DataSource({ ...options, migrationsTransactionMode: 'none' }));
      await runPending(separately, true).finally(() => separately.destroy());
    }
    const rowSecurity = await retried(() => secureTenantTables(query));
    await holder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    return rowSecurity;
  } catch (error) {
    throw error instanceof MigrationFailed || error instanceof BeforeFirstRelease ? error : statementError(error);
  } finally {
    await holder.release();
    await dataSource.destroy();
  }
}

/** TypeORM would print what failed, which is tried again or in the error. */
const quietly = { logger: 'debug' as const };

async function runPending(dataSource: DataSource, isOnline: boolean): Promise<void> {
  try {
    await retried(() => dataSource.runMigrations());
  } catch (error) {
    const failure = statementError(error);
    throw failure === error ? new MigrationFailed(error, isOnline) : failure;
  }
}

/** Makes room for those who wait behind it, and tries again, whenever another transaction holds a table for long. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) && !isLockTimeout(error)) throw error;
      await delay(LOCK_TIMEOUT_MS);
    }
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

class SnakeCaseNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, given: string | undefined): string {
    return given || columnName(property);
  }
}

async function opened(dataSource: DataSource): Promise<DataSource> {
  try {
    return await dataSource.initialize();
  } catch (error) {
    throw statementError(error);
  }
}
