import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of the requests of a key on a day: those that used a deprecated part of the API. */
export class DeprecatedRequests1763700000170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE request_counts ADD deprecated integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE request_counts DROP deprecated');
  }
}
