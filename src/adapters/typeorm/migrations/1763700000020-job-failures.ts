import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of a job that failed by themselves, told from those that were cut off. Of jobs that wait now, all are taken for failed. */
export class JobFailures1763700000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs ADD COLUMN failures integer NOT NULL DEFAULT 0;
      UPDATE jobs SET failures = least(attempt, 2) WHERE reason IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN failures');
  }
}
