import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For finding out who relies on a blob, and for attempts to bring bytes that were given up because nobody did. No two photos share
 * an original: with one of them its bytes would go.
 */
export class BlobOwners1763700000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNIQUE INDEX photos_blob_key ON photos (customer_id, blob_key);
      CREATE INDEX import_photos_blob_name ON import_photos (customer_id, blob_name)
        WHERE status IN ('awaiting_upload', 'processing', 'ready');
      CREATE INDEX import_photos_with_bytes ON import_photos (customer_id, id) WHERE status IN ('processing', 'ready');
      CREATE TABLE dropped_uploads (
        customer_id bigint NOT NULL,
        import_id bigint NOT NULL,
        attempt bigint NOT NULL,
        PRIMARY KEY (customer_id, import_id, attempt),
        FOREIGN KEY (customer_id, import_id) REFERENCES imports (customer_id, id) ON DELETE CASCADE
      );
      ALTER TABLE photos ADD COLUMN original_lost_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos DROP COLUMN original_lost_at;
      DROP TABLE dropped_uploads;
      DROP INDEX photos_blob_key, import_photos_blob_name, import_photos_with_bytes;
    `);
  }
}
