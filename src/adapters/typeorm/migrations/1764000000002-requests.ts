import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables by which requests are admitted, and that tell which of them were answered under an idempotency key. */
export class Requests1764000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createRateWindows(runner);
    // Claims are leases of a process. Records are nothing without their customer, and go with it.
    await runner.query(`
      CREATE TABLE idempotency_keys (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        key text COLLATE "C" NOT NULL,
        token text COLLATE "C" NOT NULL,
        fingerprint text COLLATE "C" NOT NULL,
        started_at timestamptz(3) NOT NULL,
        answer json,
        held_by bigint,
        lease_until timestamptz NOT NULL,
        PRIMARY KEY (customer_id, key)
      ) WITH (fillfactor = 70);
      CREATE INDEX idempotency_keys_started ON idempotency_keys (started_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE idempotency_keys; DROP FUNCTION rate_hit; DROP FUNCTION rate_now; DROP TABLE rate_window',
    );
  }
}

/**
 * The rule of core/access/rolling-window.ts where several processes share it: one row per budget, locked for the length of one
 * call. The time is taken once the row is held, from the one clock that all processes have, so admissions of a budget never go back.
 * A restart after a crash empties the table, which only ever forgives.
 */
async function createRateWindows(runner: QueryRunner): Promise<void> {
  await runner.query(`
      CREATE UNLOGGED TABLE rate_window (
        name text COLLATE "C" PRIMARY KEY,
        hits bigint[] NOT NULL DEFAULT '{}'
      ) WITH (fillfactor = 50);

      CREATE FUNCTION rate_now() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

      CREATE FUNCTION rate_hit(
        budget_name text, budget_limit integer, window_ms integer,
        OUT allowed boolean, OUT remaining integer, OUT reset bigint, OUT retry_after integer
      ) LANGUAGE plpgsql AS $$
      DECLARE
        moment bigint;
        kept bigint[];
        used integer;
        wait bigint;
      BEGIN
        LOOP
          SELECT hits INTO kept FROM rate_window WHERE name = budget_name FOR UPDATE;
          EXIT WHEN FOUND;
          INSERT INTO rate_window (name) VALUES (budget_name) ON CONFLICT DO NOTHING;
        END LOOP;
        moment := rate_now();
        kept := ARRAY(SELECT least(hit, moment) FROM unnest(kept) AS hit WHERE hit > moment - window_ms ORDER BY 1);
        used := cardinality(kept);
        allowed := used < budget_limit;
        IF allowed THEN
          UPDATE rate_window SET hits = kept || moment WHERE name = budget_name;
          remaining := budget_limit - used - 1;
          reset := ceil((moment + window_ms) / 1000.0);
          RETURN;
        END IF;
        -- The clock was set back: what lies ahead of it is moved to now, or it would block for longer than one window.
        IF kept[used] = moment THEN
          UPDATE rate_window SET hits = kept WHERE name = budget_name;
        END IF;
        wait := CASE WHEN budget_limit < 1 THEN window_ms ELSE kept[used - budget_limit + 1] + window_ms - moment END;
        remaining := 0;
        reset := ceil(greatest(kept[used] + window_ms, moment + wait) / 1000.0);
        retry_after := greatest(1, ceil(wait / 1000.0));
      END $$;
  `);
}
