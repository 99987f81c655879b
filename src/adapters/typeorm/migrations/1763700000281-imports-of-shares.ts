import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which share an import came by. That may be revoked, so it is not referred to. */
export class ImportsOfShares1763700000281 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports ADD share_id bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE imports DROP share_id');
  }
}
