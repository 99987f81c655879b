import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was answered under which key. Records are nothing without their customer, and go with it. */
export class IdempotencyKeys1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        key text COLLATE "C" NOT NULL,
        token text COLLATE "C" NOT NULL,
        fingerprint text COLLATE "C" NOT NULL,
        started_at timestamptz(3) NOT NULL,
        answer json,
        PRIMARY KEY (customer_id, key)
      ) WITH (fillfactor = 70);
      CREATE INDEX idempotency_keys_started ON idempotency_keys (started_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
