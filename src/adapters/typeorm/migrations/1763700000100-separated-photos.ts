import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pairs of photos that somebody has said to be different, although they look alike. */
export class SeparatedPhotos1763700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE separated_photos (
        customer_id bigint NOT NULL,
        photo_id bigint NOT NULL,
        other_id bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (customer_id, photo_id, other_id),
        CHECK (photo_id < other_id),
        FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE,
        FOREIGN KEY (customer_id, other_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
      );
      CREATE INDEX separated_photos_other ON separated_photos (customer_id, other_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE separated_photos');
  }
}
