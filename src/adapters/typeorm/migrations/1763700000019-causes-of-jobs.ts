import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a job was caused by, where that is traced. */
export class CausesOfJobs1763700000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs ADD COLUMN cause text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN cause');
  }
}
