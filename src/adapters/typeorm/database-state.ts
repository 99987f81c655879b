import pg from 'pg';
import { connectionTo, type DatabaseAddress, migrations } from './data-source.js';

/** What can be seen of a database without changing it. */
export interface DatabaseState {
  /** As `server_version_num`: 180004 is 18.4. */
  readonly version: number;
  readonly encoding: string;
  readonly readOnly: boolean;
  /** How far its clock is ahead of this machine's, milliseconds. */
  readonly aheadMs: number;
  /** Migrations that have not been run, and those that this program does not know. */
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
}

/** Errors: those of the connection. */
export async function readDatabaseState(address: DatabaseAddress): Promise<DatabaseState> {
  const client = new pg.Client(connectionTo(address));
  client.on('error', () => {});
  try {
    await client.connect();
    const settings = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
         pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "readOnly",
         to_regclass('migrations') IS NOT NULL AS "hasTables"`,
    );
    const { hasTables, ...state } = settings.rows[0];
    const run: string[] = hasTables
      ? (await client.query('SELECT name FROM migrations')).rows.map(({ name }) => name)
      : [];
    const known = migrations.map(({ name }) => name);
    return {
      ...state,
      aheadMs: await ahead(client),
      pending: known.filter((name) => !run.includes(name)),
      unknown: run.filter((name) => !known.includes(name)),
    };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Its time is taken to be of the middle between asking and answer. */
async function ahead(client: pg.Client): Promise<number> {
  const asked = Date.now();
  const { rows } = await client.query(`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`);
  return Number(rows[0].now) - (asked + Date.now()) / 2;
}
