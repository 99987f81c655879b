import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The countries of a library are offered as a filter: an index is read from one to the next (docs/decisions/0064). */
export class PhotoValues1763700000160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX photos_country ON photos (customer_id, trashed, place_country) WHERE place_country IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX photos_country');
  }
}
