import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The place of a photo. `current` is false for the photos that are there: a worker looks up their places, and until then they are not found by
 * them.
 */
export class Places1763700000075 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos ADD COLUMN place_country text, ADD COLUMN place_region text, ADD COLUMN place_city text,
        ADD COLUMN current boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos DROP COLUMN current, DROP COLUMN place_city, DROP COLUMN place_region, DROP COLUMN place_country;
    `);
  }
}
