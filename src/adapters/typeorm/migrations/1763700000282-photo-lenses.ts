import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The lenses of a library are read from this index, one after the other, and the photos of each counted (docs/decisions/0064). */
export class PhotoLenses1763700000282 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX photos_lens ON photos (customer_id, trashed, ((camera ->> 'lens') COLLATE "C"))
        WHERE ((camera ->> 'lens') COLLATE "C") > '';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX photos_lens');
  }
}
