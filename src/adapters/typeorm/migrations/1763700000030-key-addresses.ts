import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where keys are used from, so that an IP list which would lock out what works today can be warned of. */
export class KeyAddresses1763700000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_addresses (
        customer_id bigint NOT NULL,
        key_id bigint NOT NULL,
        address text COLLATE "C" NOT NULL,
        last_seen_at timestamptz(3) NOT NULL,
        PRIMARY KEY (customer_id, key_id, address),
        FOREIGN KEY (customer_id, key_id) REFERENCES api_keys (customer_id, id) ON DELETE CASCADE
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE key_addresses');
  }
}
