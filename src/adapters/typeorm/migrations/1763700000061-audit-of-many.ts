import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One entry of the audit log may be of many photos that were deleted. */
export class AuditOfMany1763700000061 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_entries ADD count integer NOT NULL DEFAULT 1;
      ALTER TABLE audit_entries ALTER subject_id DROP NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM audit_entries WHERE subject_id IS NULL;
      ALTER TABLE audit_entries ALTER subject_id SET NOT NULL;
      ALTER TABLE audit_entries DROP count;
    `);
  }
}
