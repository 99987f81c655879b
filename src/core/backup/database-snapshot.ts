import type { NeededBlob } from './blob-backup.js';

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The facts that a backup records about its database, in addition to the rows. */
export interface ArchivedSchema {
  /** Names of the migrations that had been run, oldest first. */
  readonly migrations: readonly string[];
  /** After those that they refer to. */
  readonly tables: readonly ArchivedTable[];
  /** The last number that each assigned. */
  readonly sequences: Readonly<Record<string, number>>;
}

/**
 * A snapshot of the whole database, whatever others write meanwhile; they are not blocked. Read each result to its end before the next
 * query.
 */
export interface DatabaseSnapshot {
  /** Sequences are not part of the snapshot: queried after the rows, they are ahead of them. */
  schema(): Promise<ArchivedSchema>;
  /** A table's rows, one per line, in the form that `ArchiveTarget.fill` accepts. */
  rows(table: ArchivedTable): AsyncIterable<Uint8Array>;
  /** The blobs of photos and unfinished items. */
  neededBlobs(): AsyncIterable<NeededBlob>;
}

/** An empty database into which an archive is to be restored. */
export interface ArchiveTarget {
  /**
   * Creates the schema of the archive. Errors: an Error when the database is not empty, or when this program does not know that schema;
   * `BeforeFirstRelease`.
   */
  prepare(migrations: readonly string[]): Promise<void>;
  /** All or nothing. */
  fill(schema: ArchivedSchema, rowsOf: (table: string) => AsyncIterable<Uint8Array>): Promise<void>;
}
