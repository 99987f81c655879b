import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the person of a session last gave the password. The default is for the release before, which may still be running. */
export class ConfirmedSessions1763700000180 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions ADD confirmed_at timestamptz(3) NOT NULL DEFAULT now();
      UPDATE sessions SET confirmed_at = started_at;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP confirmed_at');
  }
}
