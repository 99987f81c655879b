import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The film that a motion photo contains. */
export class Companions1763700000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos ADD COLUMN companion json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos DROP COLUMN companion');
  }
}
