import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tags that are gone while photos are left to be renewed, and where the photos went (docs/decisions/0009). */
export class DepartedTags1763700000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE departed_tags (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        tag_id bigint NOT NULL,
        into_id bigint,
        PRIMARY KEY (customer_id, tag_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE departed_tags');
  }
}
