import type { DataSource } from 'typeorm';
import type { BusySources, FetchQueue, LeasedFetch } from '../../../core/imports/fetch/source-fetch.js';
import { clientConfig } from '../database/connection.js';
import { listenOn } from '../database/listener.js';
import { change, inSeconds, selectList } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { SOURCES_CHANNEL } from './source-fetch.repository.js';
import { sourceFetchTable } from './source-fetch.table.js';

/**
 * The fetch that has been due longest, of the active customer with due ones that was served longest ago. The customers are found by a loose
 * index scan, so thousands of fetches of one cost no more than one, unless they are of a host that is busy. Due by the database's clock, which
 * all processes compare.
 */
const CLAIM = `
  WITH RECURSIVE waiting AS (
    (SELECT customer_id FROM source_fetches ORDER BY customer_id LIMIT 1)
    UNION ALL
    SELECT (SELECT f.customer_id FROM source_fetches f WHERE f.customer_id > w.customer_id ORDER BY f.customer_id LIMIT 1)
    FROM waiting w WHERE w.customer_id IS NOT NULL
  ), turns AS (
    SELECT w.customer_id FROM waiting w JOIN customers c ON c.id = w.customer_id AND c.status = 'active'
    LEFT JOIN source_turns t ON t.customer_id = w.customer_id
    WHERE w.customer_id <> ALL ($2::bigint[])
    ORDER BY t.served NULLS FIRST, w.customer_id
  ), next AS (
    SELECT due.* FROM turns CROSS JOIN LATERAL (
      SELECT f.customer_id, f.item_id FROM source_fetches f
      WHERE f.customer_id = turns.customer_id AND f.due_at <= now() AND (f.customer_id || '/' || f.host) <> ALL ($3::text[])
      ORDER BY f.due_at, f.item_id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) due LIMIT 1
  ), turn AS (
    INSERT INTO source_turns (customer_id, served) SELECT customer_id, nextval('source_turn_seq') FROM next
    ON CONFLICT (customer_id) DO UPDATE SET served = excluded.served
  )
  UPDATE source_fetches f SET lease = gen_random_uuid(), due_at = ${inSeconds('$1')}
  FROM next WHERE f.customer_id = next.customer_id AND f.item_id = next.item_id
  RETURNING ${selectList(sourceFetchTable, 'f')}, f.lease`;

const EXTEND = `
  UPDATE source_fetches f SET due_at = ${inSeconds('$4')}
  WHERE f.customer_id = $1 AND f.item_id = $2 AND f.lease = $3 AND EXISTS (
    SELECT FROM import_photos i
    WHERE i.customer_id = $1 AND i.id = $2 AND i.status = 'fetching' AND i.upload_id = f.upload_id
  )`;

export class TypeormFetchQueue implements FetchQueue {
  constructor(private readonly dataSource: DataSource) {}

  claim(leaseSeconds: number, { customerIds, hosts }: BusySources): Promise<LeasedFetch | null> {
    const busyHosts = hosts.map(({ customerId, host }) => `${customerId}/${host}`);
    return withoutTransaction(this.dataSource, async (manager) => {
      const { rows } = await change<LeasedFetch>(manager, CLAIM, [leaseSeconds, customerIds, busyHosts]);
      return rows[0] ?? null;
    });
  }

  extend({ customerId, itemId, lease }: LeasedFetch, leaseSeconds: number): Promise<boolean> {
    return withoutTransaction(
      this.dataSource,
      async (manager) => (await change(manager, EXTEND, [customerId, itemId, lease, leaseSeconds])).count > 0,
    );
  }

  listen(wake: () => void): Promise<() => Promise<void>> {
    return listenOn(clientConfig(this.dataSource), { channel: SOURCES_CHANNEL }, wake);
  }
}
