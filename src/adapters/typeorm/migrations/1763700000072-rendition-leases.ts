import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which renditions are being made, so that no two processes make the same one. Backed up like everything else, and expired when restored. */
export class RenditionLeases1763700000072 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rendition_leases (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        key text COLLATE "C" NOT NULL,
        token uuid NOT NULL,
        lease_until timestamptz NOT NULL,
        PRIMARY KEY (customer_id, key)
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rendition_leases');
  }
}
