import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pictures that were delivered. The counts of a day outlive their delivery key, so they do not refer to it. */
export class PictureCounts1763700000073 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE picture_counts (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        delivery_key_id bigint NOT NULL,
        day date NOT NULL,
        requests bigint NOT NULL,
        bytes bigint NOT NULL,
        made bigint NOT NULL,
        PRIMARY KEY (customer_id, delivery_key_id, day)
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE picture_counts');
  }
}
