import type { DataSource, EntityManager } from 'typeorm';
import type {
  BusySources,
  FetchQueue,
  LeasedFetch,
  SourceFetch,
  SourceFetchRepository,
} from '../../../core/imports/fetch/source-fetch.js';
import type { Id } from '../../../core/shared/ids.js';
import { clientConfig, listenOn } from '../database/connection.js';
import {
  asJson,
  assignments,
  bigWhole,
  change,
  inSeconds,
  insertion,
  key,
  optionalBigWhole,
  optionalText,
  select,
  selectList,
  tableOf,
  text,
  whole,
} from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

/** A fetch; only its holder is given the lease. */
interface SourceFetchRow extends SourceFetch {
  readonly lease: string | null;
}

export const sourceFetchTable = tableOf<SourceFetchRow>('sourceFetch', 'source_fetches', {
  customerId: key,
  itemId: key,
  importId: bigWhole,
  uploadId: bigWhole,
  apiKeyId: optionalBigWhole,
  url: text,
  host: text,
  declaredBytes: optionalBigWhole,
  validator: optionalText,
  failures: whole,
  lease: { ...optionalText, select: false },
});

const SOURCES_CHANNEL = 'photo_service_sources';

export class TypeormSourceFetchRepository implements SourceFetchRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(itemId: Id): Promise<SourceFetch | null> {
    return this.manager.findOneBy(sourceFetchTable, { customerId: this.customerId, itemId });
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    const [first] = fetches;
    if (first === undefined) return;
    const rows = fetches.map((each) => ({ ...each, customerId: this.customerId }));
    const changes = assignments(sourceFetchTable, first, 'excluded');
    await this.manager.query(
      `${insertion(sourceFetchTable, first)}
       ON CONFLICT (customer_id, item_id) DO UPDATE SET ${changes}, due_at = clock_timestamp(), lease = NULL`,
      [asJson(rows)],
    );
    await select(this.manager, `SELECT pg_notify('${SOURCES_CHANNEL}', '')`);
  }

  async setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean> {
    const { affected } = await this.manager.update(sourceFetchTable, this.held(leased), { validator });
    return (affected ?? 0) > 0;
  }

  /** By the database's clock, which all processes compare, so by hand. */
  async release({ itemId, lease }: LeasedFetch, failures: number, seconds: number): Promise<boolean> {
    const { count } = await change(
      this.manager,
      `UPDATE source_fetches SET failures = $4, due_at = ${inSeconds('$5')}, lease = NULL
       WHERE customer_id = $1 AND item_id = $2 AND lease = $3`,
      [this.customerId, itemId, lease, failures, seconds],
    );
    return count > 0;
  }

  async delete(leased: LeasedFetch): Promise<boolean> {
    const { affected } = await this.manager.delete(sourceFetchTable, this.held(leased));
    return (affected ?? 0) > 0;
  }

  private held({ itemId, lease }: LeasedFetch) {
    return { customerId: this.customerId, itemId, lease };
  }
}

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
