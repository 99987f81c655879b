import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OnlineIndexes } from '../../src/adapters/typeorm/migrations/online-indexes.js';
import { migrations } from '../../src/adapters/typeorm/registry.js';

/** A table and a column, as a later release may add. */
export class Notes1999000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos ADD has_note boolean NOT NULL DEFAULT false;
      CREATE TABLE notes (
        customer_id bigint NOT NULL,
        photo_id bigint NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (customer_id, photo_id),
        FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE notes; ALTER TABLE photos DROP has_note');
  }
}

/** Rows for what is there already, while others write. */
class FirstNotes1999000000002 implements MigrationInterface {
  static readonly online = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO notes SELECT customer_id, id, filename FROM photos ON CONFLICT DO NOTHING');
  }

  async down(): Promise<void> {}
}

/** Indexes of a large table. */
class NoteIndexes1999000000003 extends OnlineIndexes {
  protected override readonly indexes = {
    photos_without_note: 'photos (customer_id, id) WHERE NOT has_note',
    photos_with_note: 'photos (customer_id, id) WHERE has_note',
  };
}

/** The migrations of a release after this one. */
export const laterMigrations = [...migrations, Notes1999000000001, FirstNotes1999000000002, NoteIndexes1999000000003];
