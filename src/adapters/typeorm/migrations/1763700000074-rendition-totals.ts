import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many bytes the stored renditions of a customer took when they were last counted. Customers without renditions have no row. */
export class RenditionTotals1763700000074 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rendition_totals (
        customer_id bigint PRIMARY KEY REFERENCES customers (id) ON DELETE CASCADE,
        bytes bigint NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rendition_totals');
  }
}
