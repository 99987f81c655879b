import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Claims on idempotency keys are leases of a process. Those of the release before, which renews nothing, last its five minutes. */
export class ClaimLeases1763700000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_keys
        ADD COLUMN held_by bigint,
        ADD COLUMN lease_until timestamptz NOT NULL DEFAULT now() + interval '5 minutes';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN held_by, DROP COLUMN lease_until');
  }
}
