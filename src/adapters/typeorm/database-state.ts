import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { refuseBeforeFirstRelease } from '../../core/backup/before-first-release.js';
import { anyMigrationsRun, migrationsRun, type Query } from './database/catalogue.js';
import { connectionTo, type DatabaseAddress, withClient } from './database/connection.js';
import { type RowSecurity, readRowSecurity } from './database/row-security.js';
import { select } from './database/sql.js';
import { withoutTransaction } from './database/transaction.js';
import { migrations } from './registry.js';

/** The state of a database, read without changing it. */
export interface DatabaseState {
  /** The version in the form of `server_version_num`: 180004 is 18.4. */
  readonly version: number;
  readonly encoding: string;
  readonly readOnly: boolean;
  /** Milliseconds that its clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** Migrations that have not been run. */
  readonly pending: readonly string[];
  /** Migrations of a newer release. `phs doctor` names them; a start does not refuse them (docs/upgrading.md, "Going back"). */
  readonly unknown: readonly string[];
  /** Null: there are no tables yet. */
  readonly rowSecurity: RowSecurity | null;
  /** Sizes as the statistics of the database estimate them. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[];
}

const TABLES = `
  SELECT relname AS name, n_live_tup::float8 AS rows, pg_total_relation_size(relid)::float8 AS bytes
  FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY relname`;

/** Errors: those of the connection. */
export function readDatabaseState(address: DatabaseAddress): Promise<DatabaseState> {
  return withClient(connectionTo(address), async (client) => {
    const settings = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
         pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "readOnly"`,
    );
    const run = await anyMigrationsRun(queryOn(client));
    const asked = Date.now();
    const { rows } = await client.query(`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`);
    return {
      ...settings.rows[0],
      // Its time is assumed to be that of the middle between request and response.
      aheadMs: Number(rows[0].now) - (asked + Date.now()) / 2,
      rowSecurity: run.some((name) => known.includes(name)) ? await readRowSecurity(queryOn(client)) : null,
      pending: known.filter((name) => !run.includes(name)),
      unknown: run.filter((name) => !known.includes(name)),
      tables: (await client.query(TABLES)).rows,
    };
  });
}

/**
 * Whether it has the tables of this program, of any release, rather than none or those of another program. Errors: those of the connection, and
 * `BeforeFirstRelease`.
 */
export function hasOurTables(address: DatabaseAddress): Promise<boolean> {
  return withClient(connectionTo(address), async (client) => {
    const run = await anyMigrationsRun(queryOn(client));
    refuseBeforeFirstRelease('database', run);
    return run.some((name) => known.includes(name));
  });
}

const known = migrations.map(({ name }) => name);

function queryOn(client: pg.Client): Query {
  return async (sql, parameters) => (await client.query(sql, parameters)).rows;
}

/** Checks that the database answers, over a connection of the pool. Errors: `service_unavailable`. */
export async function requireAnswer(dataSource: DataSource): Promise<void> {
  await withoutTransaction(dataSource, (manager) => select(manager, 'SELECT 1'));
}

/** Checks that its tables are at least as new as this program: not those of an older backup that was restored meanwhile. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const done = new Set(await withoutTransaction(dataSource, (manager) => migrationsRun((sql) => select(manager, sql))));
  const missing = known.filter((name) => !done.has(name));
  if (missing.length > 0)
    throw new Error(`The database lacks ${missing.join(', ')}: run phs migrate, or restart the service.`);
}
