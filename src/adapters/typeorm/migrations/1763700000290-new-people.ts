import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether owners let a provider bring new people. */
export class NewPeople1763700000290 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD admits_new_people boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP admits_new_people');
  }
}
