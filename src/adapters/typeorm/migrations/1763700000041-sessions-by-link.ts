import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which sessions began with a one-time link. None of those that there are may set a password without the one before. */
export class SessionsByLink1763700000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD by_link boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP by_link');
  }
}
