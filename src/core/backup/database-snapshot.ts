import type { NeededBlob } from './back-up-blobs.js';

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What a backup says of its database, beside the rows. */
export interface ArchivedSchema {
  /** Names of the migrations that had been run, oldest first. */
  readonly migrations: readonly string[];
  /** After those that they refer to. */
  readonly tables: readonly ArchivedTable[];
  /** The last number that each gave out. */
  readonly sequences: Readonly<Record<string, number>>;
}

/**
 * The whole database at one moment, whatever others write meanwhile; they are not held up. Each question is to be read to its end before
 * the next is asked.
 */
export interface DatabaseSnapshot {
  /** Sequences are of no moment: asked after the rows were read, they are ahead of them. */
  schema(): Promise<ArchivedSchema>;
  /** A table's rows, a line each, in the form that `ArchiveTarget.fill` takes. */
  rows(table: ArchivedTable): AsyncIterable<Uint8Array>;
  /** What photos and unfinished items have in the blob store. */
  neededBlobs(): AsyncIterable<NeededBlob>;
}

/** An empty database that an archive is to be restored into. */
export interface ArchiveTarget {
  /** Gives it the schema of the archive. Errors: an Error when it is not empty, or when this program does not know that schema. */
  prepare(migrations: readonly string[]): Promise<void>;
  /** With all of it, or with nothing. */
  fill(schema: ArchivedSchema, rowsOf: (table: string) => AsyncIterable<Uint8Array>): Promise<void>;
}
