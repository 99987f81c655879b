import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From when on everyone of a customer needs a second factor. */
export class RequiredFactors1763700000191 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD factors_required_from timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP factors_required_from');
  }
}
