import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts the photos that were there before their totals. Changes are added to these meanwhile, with each change itself: what is missing in them is
 * the same at every moment, so one look at both is enough, and nobody has to wait.
 */
export class CountedPhotos1763700000032 implements MigrationInterface {
  static readonly online = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO photo_totals (customer_id, photos, storage_bytes, trashed_photos, trashed_bytes)
      SELECT customer_id, sum(photos), sum(storage_bytes), sum(trashed_photos), sum(trashed_bytes)
      FROM (
        SELECT customer_id, count(*) FILTER (WHERE NOT trashed) AS photos, sum(size_bytes) FILTER (WHERE NOT trashed) AS storage_bytes,
          count(*) FILTER (WHERE trashed) AS trashed_photos, sum(size_bytes) FILTER (WHERE trashed) AS trashed_bytes
        FROM photos GROUP BY customer_id
        UNION ALL SELECT customer_id, -photos, -storage_bytes, -trashed_photos, -trashed_bytes FROM photo_totals
      ) counted
      GROUP BY customer_id
      HAVING sum(photos) <> 0 OR sum(storage_bytes) <> 0 OR sum(trashed_photos) <> 0 OR sum(trashed_bytes) <> 0
    `);
  }

  /** The totals go as a whole, with the migration before. */
  async down(): Promise<void> {}
}
