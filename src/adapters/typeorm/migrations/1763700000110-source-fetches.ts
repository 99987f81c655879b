import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Files to be fetched from other servers, and whose turn it is. Items that wait for them reserve quota like the others, so the indexes for
 * these include their state. Turns are worth nothing after a crash: their table needs no log.
 */
export class SourceFetches1763700000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE source_fetches (
        customer_id bigint NOT NULL,
        item_id bigint NOT NULL,
        import_id bigint NOT NULL,
        attempt bigint NOT NULL,
        api_key_id bigint,
        url text NOT NULL,
        host text COLLATE "C" NOT NULL,
        declared_bytes bigint,
        validator text,
        failures integer NOT NULL,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        lease text,
        PRIMARY KEY (customer_id, item_id),
        FOREIGN KEY (customer_id, item_id) REFERENCES import_photos (customer_id, id) ON DELETE CASCADE
      ) WITH (fillfactor = 70);
      CREATE INDEX source_fetches_due ON source_fetches (customer_id, due_at, item_id);
      CREATE SEQUENCE source_turn_seq AS bigint;
      CREATE UNLOGGED TABLE source_turns (
        customer_id bigint PRIMARY KEY,
        served bigint NOT NULL
      );
    `);
    await reserving(runner, `'awaiting_upload', 'fetching', 'processing', 'ready'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await reserving(runner, `'awaiting_upload', 'processing', 'ready'`);
    await runner.query('DROP TABLE source_fetches, source_turns; DROP SEQUENCE source_turn_seq');
  }
}

/** The partial indexes of items in the states that reserve quota. */
async function reserving(runner: QueryRunner, statuses: string): Promise<void> {
  await runner.query(`
    DROP INDEX import_photos_reserving, import_photos_blob_name;
    CREATE INDEX import_photos_reserving ON import_photos (customer_id) INCLUDE (size_bytes) WHERE status IN (${statuses});
    CREATE INDEX import_photos_blob_name ON import_photos (customer_id, blob_name) WHERE status IN (${statuses});
  `);
}
