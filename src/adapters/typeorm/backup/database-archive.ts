import { createInterface } from 'node:readline';
import type pg from 'pg';
import { refuseBeforeFirstRelease } from '../../../core/backup/before-first-release.js';
import type { NeededBlob } from '../../../core/backup/blob-backup.js';
import type {
  ArchivedSchema,
  ArchivedTable,
  ArchiveTarget,
  DatabaseSnapshot,
} from '../../../core/backup/database-snapshot.js';
import { originalKey, stagingKey, storedKey } from '../../../core/blobs/blob-key.js';
import { migrate } from '../data-source.js';
import {
  anyMigrationsRun,
  type CatalogueTable,
  MIGRATIONS,
  migrationsRun,
  type Query,
  quoted,
  tablesByReference,
} from '../database/catalogue.js';
import { connectionTo, type DatabaseAddress, withClient } from '../database/connection.js';
import { migrations } from '../registry.js';
import { copyIn, copyOut } from './copy.js';

/**
 * Numbers that were assigned between the backup and the loss are known to clients and must not be reused for something else. So many are
 * skipped.
 */
const SEQUENCE_GAP = 1_000_000;

/** On a separate connection without time limits, so without TypeORM. The names of tables come from the catalogue. */
export class PostgresSnapshot implements DatabaseSnapshot {
  private constructor(
    private readonly client: pg.Client,
    private readonly tables: readonly CatalogueTable[],
  ) {}

  static async take<T>(config: pg.ClientConfig, work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T> {
    return connected(config, async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const all = await tablesByReference(async (sql) => (await client.query(sql)).rows);
      const tables = all.filter(({ name, isPermanent }) => isPermanent && name !== MIGRATIONS);
      const result = await work(new PostgresSnapshot(client, tables));
      await client.query('COMMIT');
      return result;
    });
  }

  async schema(): Promise<ArchivedSchema> {
    const migrations = await migrationsRun(async (sql) => (await this.client.query(sql)).rows);
    const sequences = await this.client.query<{ name: string; last: string }>(
      `SELECT sequencename AS name, last_value AS last FROM pg_sequences
       WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`,
    );
    return {
      migrations,
      tables: this.tables.map(({ name, columns }) => ({ name, columns })),
      sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, Number(last)])),
    };
  }

  rows(table: ArchivedTable): AsyncIterable<Uint8Array> {
    return copyOut(this.client, `COPY (SELECT ${columnList(table)} FROM ${quoted(table.name)}) TO STDOUT`);
  }

  async *neededBlobs(): AsyncGenerator<NeededBlob> {
    const rows = copyOut(
      this.client,
      `COPY (
         SELECT 'photo', customer_id, id, blob_key, sha256, NULL, NULL FROM photos WHERE original_lost_at IS NULL
         UNION ALL
         SELECT status, customer_id, id, blob_name, sha256, import_id, upload_id FROM import_photos
         WHERE status IN ('processing', 'ready')
       ) TO STDOUT`,
    );
    for await (const line of createInterface({ input: rows, crlfDelay: Number.POSITIVE_INFINITY }))
      yield neededBlob(line);
  }
}

/** For values that contain nothing which COPY escapes. */
function neededBlob(line: string): NeededBlob {
  const [kind, customer, number, name = '', hash = '', importId, uploadId] = line.split('\t');
  const [customerId, id] = [Number(customer), Number(number)];
  const sha256 = hash === '\\N' ? null : hash;
  if (kind === 'photo') return { customerId, id, importId: null, key: storedKey(name), sha256, later: null };
  const original = originalKey({ customerId, blobName: name });
  const item = { customerId, importId: Number(importId), id };
  if (kind === 'ready') return { ...item, key: original, sha256, later: null };
  const staged = stagingKey({ ...item, uploadId: Number(uploadId) });
  // What the client has declared is unverified: the bytes are checked when they are inspected.
  return { ...item, key: staged, sha256: null, later: original };
}

/**
 * The names of the migrations that were run on a database; null when it has no table at all. Errors: an Error when a table has rows;
 * `BeforeFirstRelease`.
 */
async function emptySchema(config: pg.ClientConfig): Promise<readonly string[] | null> {
  return connected(config, async (client) => {
    const query: Query = async (sql, parameters) => (await client.query(sql, parameters)).rows;
    refuseBeforeFirstRelease('database', await anyMigrationsRun(query));
    const tables = await tablesByReference(query);
    for (const { name } of tables) {
      if (name === MIGRATIONS || !(await query(`SELECT FROM ${quoted(name)} LIMIT 1`)).length) continue;
      throw new Error(`The database is not empty: ${name} has rows. Restore into an empty database.`);
    }
    if (tables.length === 0) return null;
    const hasMigrations = tables.some(({ name }) => name === MIGRATIONS);
    if (!hasMigrations) throw new Error('The database has tables of another program. Restore into an empty database.');
    return anyMigrationsRun(query);
  });
}

function columnList({ columns }: { readonly columns: readonly string[] }): string {
  return columns.map(quoted).join(', ');
}

/** Connects past the pool, without time limits, for as long as the work takes. */
function connected<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const unlimited = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return withClient({ ...config, ...unlimited }, work);
}

export class PostgresArchiveTarget implements ArchiveTarget {
  constructor(private readonly address: DatabaseAddress) {}

  async prepare(archived: readonly string[]): Promise<void> {
    const known = migrations.map(({ name }) => name);
    const newer = archived.filter((name) => !known.includes(name));
    if (newer.length > 0) {
      throw new Error(
        `The backup was made by a newer version (${newer.join(', ')}). Restore it with that version or a newer one.`,
      );
    }
    const there = await emptySchema(connectionTo(this.address));
    if (there !== null && (there.length !== archived.length || there.some((name) => !archived.includes(name)))) {
      throw new Error(
        'The database is empty, but its tables are of a different version than the backup. Drop them, or create a new database.',
      );
    }
    await migrate(
      this.address,
      migrations.filter(({ name }) => archived.includes(name)),
    );
  }

  /** Fills an empty database that has the schema of the archive, all or nothing. */
  async fill(
    { tables, sequences }: ArchivedSchema,
    rowsOf: (table: string) => AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await connected(connectionTo(this.address), async (client) => {
      await client.query('BEGIN');
      // The archive already contains what its triggers would add to the totals.
      await client.query('ALTER TABLE photos DISABLE TRIGGER USER');
      for (const table of tables) {
        await copyIn(client, `COPY ${quoted(table.name)} (${columnList(table)}) FROM STDIN`, rowsOf(table.name));
      }
      await client.query('ALTER TABLE photos ENABLE TRIGGER USER');
      for (const [name, last] of Object.entries(sequences)) {
        await client.query('SELECT setval($1::regclass, $2)', [quoted(name), last + SEQUENCE_GAP]);
      }
      await client.query('COMMIT');
      // Otherwise the first queries are planned as if everything were empty.
      await client.query('ANALYZE');
    });
  }
}

/** Key of the `pg_advisory_lock` for backups: any number that nothing else in this database locks. */
const BACKUP_LOCK = 7_217_003;

/**
 * Runs a backup on its own: two at once would remove each other's files. A backup whose process has died holds nothing back. Errors: an
 * Error when another one is running.
 */
export function whileAlone<T>(config: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  return connected(config, async (client) => {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS alone', [BACKUP_LOCK]);
    if (!rows[0].alone)
      throw new Error('Another backup of this installation is running. Start this one when it has ended.');
    return work();
  });
}
