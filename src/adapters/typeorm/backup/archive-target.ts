import type { ArchivedSchema, ArchiveTarget } from '../../../core/backup/database-snapshot.js';
import { migrate } from '../data-source.js';
import { connectionTo, type DatabaseAddress } from '../database/connection.js';
import { migrations } from '../registry.js';
import { emptySchema, fill } from './database-archive.js';

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

  fill(schema: ArchivedSchema, rowsOf: (table: string) => AsyncIterable<Uint8Array>): Promise<void> {
    return fill(connectionTo(this.address), schema, rowsOf);
  }
}
