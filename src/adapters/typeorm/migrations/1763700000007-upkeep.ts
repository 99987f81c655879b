import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For what is done by itself as time passes, and for quotas. The indexes by time go over all customers, so that one look finds those
 * who have something due; the sums of a quota and the references to a trashed photo are found without the items that have ended.
 */
export class Upkeep1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX photos_due_purge ON photos (purge_at, customer_id) WHERE purge_at IS NOT NULL;
      CREATE INDEX imports_due_expiry ON imports (expires_at, customer_id) WHERE status = 'open';
      CREATE INDEX import_photos_reserving ON import_photos (customer_id) INCLUDE (size_bytes)
        WHERE status IN ('awaiting_upload', 'processing', 'ready');
      CREATE INDEX import_photos_duplicates ON import_photos (customer_id, photo_id) WHERE status = 'duplicate';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX photos_due_purge, imports_due_expiry, import_photos_reserving, import_photos_duplicates',
    );
  }
}
