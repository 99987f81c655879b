import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bytes between accounts and their clients, by day. */
export class TransferCounts1763700000260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE transfer_counts (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        day date NOT NULL,
        channel text NOT NULL,
        received_bytes bigint NOT NULL,
        sent_bytes bigint NOT NULL,
        PRIMARY KEY (customer_id, day, channel)
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE transfer_counts');
  }
}
