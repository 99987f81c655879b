import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What visitors of a share may upload, and have uploaded: nothing, for shares that exist. */
export class VisitorUploads1763700000141 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE shares
        ADD upload_files_limit integer NOT NULL DEFAULT 0,
        ADD upload_bytes_limit bigint NOT NULL DEFAULT 0,
        ADD uploaded_files integer NOT NULL DEFAULT 0,
        ADD uploaded_bytes bigint NOT NULL DEFAULT 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE shares
        DROP upload_files_limit, DROP upload_bytes_limit, DROP uploaded_files, DROP uploaded_bytes
    `);
  }
}
