import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One queue for all work: deliveries of webhooks and fetches of sources become jobs, in pools of their own, and go with the rows that they are
 * about. The name of the table is new, so that the release before, which takes every job for one of its kinds, takes none of them.
 */
export class OneQueue1764000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs RENAME TO job_queue;
      ALTER TABLE job_queue
        ADD COLUMN pool text COLLATE "C" NOT NULL DEFAULT 'jobs',
        ADD COLUMN turn text COLLATE "C" NOT NULL DEFAULT '',
        ADD COLUMN lane text COLLATE "C" NOT NULL DEFAULT '',
        ADD COLUMN delivery_id bigint,
        ADD COLUMN item_id bigint;
      INSERT INTO job_queue (customer_id, pool, turn, lane, key, work, delivery_id, attempt, due_at, created_at)
        SELECT customer_id, 'deliveries', endpoint_id, endpoint_id, 'deliver/' || id,
          json_build_object('kind', 'deliver', 'endpointId', endpoint_id, 'deliveryId', id), id, attempt, due_at, created_at
        FROM webhook_deliveries WHERE status = 'pending' ORDER BY due_at, id;
      INSERT INTO job_queue (customer_id, pool, lane, key, work, item_id, failures, due_at)
        SELECT customer_id, 'fetches', host, 'fetch/' || item_id,
          json_build_object('kind', 'fetch', 'importId', import_id, 'itemId', item_id, 'uploadId', upload_id, 'host', host), item_id,
          failures, due_at
        FROM source_fetches ORDER BY due_at, item_id;
      ALTER TABLE job_queue
        ADD FOREIGN KEY (customer_id, delivery_id) REFERENCES webhook_deliveries (customer_id, id) ON DELETE CASCADE,
        ADD FOREIGN KEY (customer_id, item_id) REFERENCES source_fetches (customer_id, item_id) ON DELETE CASCADE;
      DROP INDEX jobs_due;
      CREATE INDEX job_queue_due ON job_queue (pool, customer_id, turn, due_at, id) WHERE dead_at IS NULL;
      CREATE UNIQUE INDEX job_queue_delivery ON job_queue (customer_id, delivery_id) WHERE delivery_id IS NOT NULL;
      CREATE UNIQUE INDEX job_queue_item ON job_queue (customer_id, item_id) WHERE item_id IS NOT NULL;
      ALTER TABLE webhook_deliveries DROP COLUMN due_at, DROP COLUMN lease;
      ALTER TABLE source_fetches DROP COLUMN due_at, DROP COLUMN lease, DROP COLUMN failures;
      DROP TABLE job_turns, webhook_turns, source_turns;
      DROP SEQUENCE webhook_turn_seq, source_turn_seq;
      CREATE UNLOGGED TABLE job_turns (
        customer_id bigint NOT NULL,
        pool text COLLATE "C" NOT NULL,
        turn text COLLATE "C" NOT NULL,
        served bigint NOT NULL,
        PRIMARY KEY (customer_id, pool, turn)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_deliveries ADD COLUMN due_at timestamptz DEFAULT clock_timestamp(), ADD COLUMN lease text;
      UPDATE webhook_deliveries d SET due_at = j.due_at, attempt = coalesce(j.attempt, d.attempt)
        FROM webhook_deliveries e LEFT JOIN job_queue j ON j.customer_id = e.customer_id AND j.delivery_id = e.id
        WHERE e.customer_id = d.customer_id AND e.id = d.id;
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (customer_id, endpoint_id, due_at, id)
        WHERE status = 'pending';
      ALTER TABLE source_fetches ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN due_at timestamptz NOT NULL DEFAULT clock_timestamp(), ADD COLUMN lease text;
      UPDATE source_fetches f SET failures = j.failures, due_at = j.due_at
        FROM job_queue j WHERE j.customer_id = f.customer_id AND j.item_id = f.item_id;
      ALTER TABLE source_fetches ALTER COLUMN failures DROP DEFAULT;
      CREATE INDEX source_fetches_due ON source_fetches (customer_id, due_at, item_id);
      DELETE FROM job_queue WHERE pool <> 'jobs';
      DROP INDEX job_queue_due;
      ALTER TABLE job_queue DROP COLUMN pool, DROP COLUMN turn, DROP COLUMN lane, DROP COLUMN delivery_id, DROP COLUMN item_id;
      ALTER TABLE job_queue RENAME TO jobs;
      CREATE INDEX jobs_due ON jobs (customer_id, due_at, id) WHERE dead_at IS NULL;
      DROP TABLE job_turns;
      CREATE UNLOGGED TABLE job_turns (
        customer_id bigint PRIMARY KEY,
        served bigint NOT NULL
      );
      CREATE SEQUENCE webhook_turn_seq AS bigint;
      CREATE UNLOGGED TABLE webhook_turns (
        customer_id bigint NOT NULL,
        endpoint_id bigint NOT NULL,
        served bigint NOT NULL,
        PRIMARY KEY (customer_id, endpoint_id)
      );
      CREATE SEQUENCE source_turn_seq AS bigint;
      CREATE UNLOGGED TABLE source_turns (
        customer_id bigint PRIMARY KEY,
        served bigint NOT NULL
      );
    `);
  }
}
