import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A perceptual hash of each photo, and an index of these by their quarters. The index is a table of its own: photos are updated often, hashes
 * never. Its columns are all in each of its indexes, so that a search reads nothing else.
 */
export class PerceptualHashes1763700000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos ADD COLUMN phash text COLLATE "C";
      CREATE TABLE photo_hashes (
        customer_id bigint NOT NULL,
        photo_id bigint NOT NULL,
        bits bigint NOT NULL,
        quarter_0 integer NOT NULL GENERATED ALWAYS AS (((bits >> 48) & 65535)::integer) STORED,
        quarter_1 integer NOT NULL GENERATED ALWAYS AS (((bits >> 32) & 65535)::integer) STORED,
        quarter_2 integer NOT NULL GENERATED ALWAYS AS (((bits >> 16) & 65535)::integer) STORED,
        quarter_3 integer NOT NULL GENERATED ALWAYS AS ((bits & 65535)::integer) STORED,
        PRIMARY KEY (customer_id, photo_id),
        FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
      );
      CREATE INDEX photo_hashes_0 ON photo_hashes (customer_id, quarter_0, bits, photo_id);
      CREATE INDEX photo_hashes_1 ON photo_hashes (customer_id, quarter_1, bits, photo_id);
      CREATE INDEX photo_hashes_2 ON photo_hashes (customer_id, quarter_2, bits, photo_id);
      CREATE INDEX photo_hashes_3 ON photo_hashes (customer_id, quarter_3, bits, photo_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE photo_hashes; ALTER TABLE photos DROP COLUMN phash');
  }
}
