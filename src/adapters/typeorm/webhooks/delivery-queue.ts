import type { DataSource } from 'typeorm';
import type { Busy, DeliveryQueue, LeasedDelivery } from '../../../core/webhooks/delivery.js';
import { clientConfig, listenOn } from '../database/connection.js';
import { change, inSeconds, selectList } from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';
import { deliveryTable, WEBHOOKS_CHANNEL } from '../events/outbox.repository.js';

/**
 * The endpoint with due deliveries that was served longest ago, and of its deliveries the one that has been due longest. The endpoints are
 * found by a loose index scan, so thousands of deliveries to one cost no more than one. Due by the database's clock, which all processes
 * compare.
 */
const CLAIM = `
  WITH RECURSIVE waiting AS (
    (SELECT customer_id, endpoint_id FROM webhook_deliveries WHERE status = 'pending'
     ORDER BY customer_id, endpoint_id LIMIT 1)
    UNION ALL
    SELECT following.* FROM waiting w CROSS JOIN LATERAL (
      SELECT d.customer_id, d.endpoint_id FROM webhook_deliveries d
      WHERE d.status = 'pending' AND (d.customer_id, d.endpoint_id) > (w.customer_id, w.endpoint_id)
      ORDER BY d.customer_id, d.endpoint_id LIMIT 1
    ) following
  ), turns AS (
    SELECT w.customer_id, w.endpoint_id FROM waiting w
    JOIN webhook_endpoints e ON e.customer_id = w.customer_id AND e.id = w.endpoint_id AND e.status = 'enabled'
      AND e.listening_until IS NULL
    LEFT JOIN webhook_turns t ON t.customer_id = w.customer_id AND t.endpoint_id = w.endpoint_id
    WHERE w.endpoint_id <> ALL ($2::bigint[]) AND w.customer_id <> ALL ($3::bigint[])
    ORDER BY t.served NULLS FIRST, w.customer_id, w.endpoint_id
  ), next AS (
    SELECT due.* FROM turns CROSS JOIN LATERAL (
      SELECT d.customer_id, d.endpoint_id, d.id FROM webhook_deliveries d
      WHERE d.customer_id = turns.customer_id AND d.endpoint_id = turns.endpoint_id AND d.status = 'pending'
        AND d.due_at <= now()
      ORDER BY d.due_at, d.id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) due LIMIT 1
  ), turn AS (
    INSERT INTO webhook_turns (customer_id, endpoint_id, served)
    SELECT customer_id, endpoint_id, nextval('webhook_turn_seq') FROM next
    ON CONFLICT (customer_id, endpoint_id) DO UPDATE SET served = excluded.served
  )
  UPDATE webhook_deliveries d
  SET attempt = d.attempt + 1, lease = gen_random_uuid(), due_at = ${inSeconds('$1')}
  FROM next WHERE d.customer_id = next.customer_id AND d.id = next.id
  RETURNING ${selectList(deliveryTable, 'd')}, d.lease`;

/** Materialized: evaluated again for each row, a locking query with a limit would return other rows each time. */
const CLAIM_OF = `
  WITH next AS MATERIALIZED (
    SELECT w.id FROM webhook_deliveries w
    JOIN webhook_endpoints e ON e.customer_id = w.customer_id AND e.id = w.endpoint_id AND e.status = 'enabled'
    WHERE w.customer_id = $1 AND w.endpoint_id = $2 AND w.status = 'pending' AND w.due_at <= now()
    ORDER BY w.due_at, w.id LIMIT 1 FOR UPDATE OF w SKIP LOCKED
  )
  UPDATE webhook_deliveries d
  SET attempt = d.attempt + 1, lease = gen_random_uuid(), due_at = ${inSeconds('$3')}
  FROM next WHERE d.customer_id = $1 AND d.id = next.id
  RETURNING ${selectList(deliveryTable, 'd')}, d.lease`;

/** Materialized for the same reason. */
const SWEEP = `
  WITH old AS MATERIALIZED (
    SELECT customer_id, id FROM webhook_deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  )
  DELETE FROM webhook_deliveries d USING old WHERE d.customer_id = old.customer_id AND d.id = old.id`;

const SWEEP_BODIES = `
  WITH old AS MATERIALIZED (
    SELECT customer_id, id FROM webhook_deliveries WHERE created_at < $1 AND request_body IS NOT NULL
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_deliveries d SET request_body = NULL, response_body = NULL
  FROM old WHERE d.customer_id = old.customer_id AND d.id = old.id`;

export class TypeormDeliveryQueue implements DeliveryQueue {
  constructor(private readonly dataSource: DataSource) {}

  claim(leaseSeconds: number, { endpointIds, customerIds }: Busy): Promise<LeasedDelivery | null> {
    return this.claimed(CLAIM, [leaseSeconds, endpointIds, customerIds]);
  }

  claimOf(
    { customerId, endpointId }: Pick<LeasedDelivery, 'customerId' | 'endpointId'>,
    leaseSeconds: number,
  ): Promise<LeasedDelivery | null> {
    return this.claimed(CLAIM_OF, [customerId, endpointId, leaseSeconds]);
  }

  listen(wake: () => void): Promise<() => Promise<void>> {
    return listenOn(clientConfig(this.dataSource), { channel: WEBHOOKS_CHANNEL }, wake);
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.removed(SWEEP, before, limit);
  }

  sweepBodies(before: Date, limit: number): Promise<number> {
    return this.removed(SWEEP_BODIES, before, limit);
  }

  private claimed(statement: string, values: readonly unknown[]): Promise<LeasedDelivery | null> {
    return withoutTransaction(
      this.dataSource,
      async (manager) => (await change<LeasedDelivery>(manager, statement, [...values])).rows[0] ?? null,
    );
  }

  private removed(statement: string, before: Date, limit: number): Promise<number> {
    return withoutTransaction(
      this.dataSource,
      async (manager) => (await change(manager, statement, [before, limit])).count,
    );
  }
}
