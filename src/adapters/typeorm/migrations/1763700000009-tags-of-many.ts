import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For tags that leave many photos at once (docs/decisions/0009): those that are gone while photos are left to be renewed, and where
 * the photos went. What is not published yet is found without the imports that have ended.
 */
export class TagsOfMany1763700000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE departed_tags (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        tag_id bigint NOT NULL,
        into_id bigint,
        PRIMARY KEY (customer_id, tag_id)
      );
      CREATE INDEX imports_unpublished ON imports (customer_id, id) WHERE status IN ('open', 'processing');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX imports_unpublished; DROP TABLE departed_tags');
  }
}
