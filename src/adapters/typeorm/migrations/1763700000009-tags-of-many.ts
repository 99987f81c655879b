import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is not published yet is found without the imports that have ended, when a tag of it is merged into another. */
export class TagsOfMany1763700000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX imports_unpublished ON imports (customer_id, id) WHERE status IN ('open', 'processing');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX imports_unpublished');
  }
}
