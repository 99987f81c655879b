import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each customer had stored, by day. */
export class StorageDays1763700000131 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE storage_days (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        day date NOT NULL,
        photos bigint NOT NULL,
        storage_bytes bigint NOT NULL,
        rendition_bytes bigint NOT NULL,
        PRIMARY KEY (customer_id, day)
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE storage_days');
  }
}
