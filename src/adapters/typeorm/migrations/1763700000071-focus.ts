import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A point of each photo that crops keep in view. */
export class Focus1763700000071 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos ADD COLUMN focus_x double precision, ADD COLUMN focus_y double precision');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos DROP COLUMN focus_x, DROP COLUMN focus_y');
  }
}
