import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outages of a job in a row, which have an end; and whether publishing has done with an item whose bytes were there already. */
export class Outages1763700000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs ADD COLUMN outages integer NOT NULL DEFAULT 0;
      ALTER TABLE import_photos ADD COLUMN resolved boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN outages; ALTER TABLE import_photos DROP COLUMN resolved');
  }
}
