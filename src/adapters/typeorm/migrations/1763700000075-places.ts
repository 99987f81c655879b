import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The place of a photo, and indexes for what its exposure is searched by. `current` is false for the photos that are there: a worker looks up
 * their places, and until then they are not found by them.
 */
export class Places1763700000075 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos ADD COLUMN place_country text, ADD COLUMN place_region text, ADD COLUMN place_city text,
        ADD COLUMN current boolean NOT NULL DEFAULT false;
      CREATE INDEX photos_outdated ON photos (customer_id, id) WHERE NOT current;
      CREATE INDEX photos_iso ON photos (customer_id, ((exposure ->> 'iso')::float8)) WHERE exposure ->> 'iso' IS NOT NULL;
      CREATE INDEX photos_focal_length ON photos (customer_id, ((exposure ->> 'focalLength35mm')::float8))
        WHERE exposure ->> 'focalLength35mm' IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX photos_focal_length, photos_iso, photos_outdated;
      ALTER TABLE photos DROP COLUMN current, DROP COLUMN place_city, DROP COLUMN place_region, DROP COLUMN place_country;
    `);
  }
}
