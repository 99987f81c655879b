import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What has arrived of files that are uploaded in several requests. */
export class ResumableUploads1763700000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE resumable_uploads (
        customer_id bigint NOT NULL,
        item_id bigint NOT NULL,
        import_id bigint NOT NULL,
        attempt bigint NOT NULL,
        parts json NOT NULL,
        sender bigint,
        updated_at timestamptz(3) NOT NULL,
        PRIMARY KEY (customer_id, item_id),
        FOREIGN KEY (customer_id, item_id) REFERENCES import_photos (customer_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE resumable_uploads');
  }
}
