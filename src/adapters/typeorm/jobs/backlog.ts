import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { reserving } from '../blobs/blob-owners.repository.js';
import { select } from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

/** The work that is waiting in the whole installation, as anonymous numbers. */
export interface Backlog {
  /** For each kind of work. `oldestSeconds`: how long the oldest due job has waited. */
  readonly jobs: readonly {
    readonly kind: string;
    readonly waiting: number;
    readonly running: number;
    readonly dead: number;
    readonly oldestSeconds: number;
  }[];
  /** Webhooks to be sent; `oldestSeconds`: how long the oldest due one has waited. */
  readonly deliveries: { readonly waiting: number; readonly oldestSeconds: number };
  /** Unfinished items of imports, counted; and all items, as estimated by the database's own statistics. */
  readonly itemsUnderWay: Readonly<Record<string, number>>;
  readonly itemsEstimated: Readonly<Record<string, number>>;
}

/** No more rows of a table are read than this, whatever waits: a number at the limit means "that many or more". */
const MOST_COUNTED = 100_000;

const SINCE_DUE = 'extract(epoch FROM clock_timestamp() - due_at)';

const JOBS = `
  SELECT kind,
    count(*) FILTER (WHERE dead_at IS NULL AND lease IS NULL) AS waiting,
    count(*) FILTER (WHERE dead_at IS NULL AND lease IS NOT NULL) AS running,
    count(*) FILTER (WHERE dead_at IS NOT NULL) AS dead,
    greatest(0, coalesce(max(${SINCE_DUE}) FILTER (WHERE dead_at IS NULL), 0))::float8 AS "oldestSeconds"
  FROM (SELECT work->>'kind' AS kind, lease, due_at, dead_at FROM job_queue WHERE pool = 'jobs' LIMIT $1) seen GROUP BY kind`;

const DELIVERIES = `
  SELECT count(*) AS waiting, greatest(0, coalesce(max(${SINCE_DUE}), 0))::float8 AS "oldestSeconds"
  FROM (SELECT due_at FROM job_queue WHERE pool = 'deliveries' AND dead_at IS NULL LIMIT $1) seen`;

const ITEMS_UNDER_WAY = `
  SELECT status, count(*) AS items
  FROM (SELECT status FROM import_photos WHERE status IN (${reserving}) LIMIT $1) seen
  GROUP BY status`;

/** The numbers as of the last autovacuum: no row is read for it. */
const ITEMS_ESTIMATED = `
  SELECT status, (share * t.reltuples)::bigint AS items
  FROM pg_stats s CROSS JOIN unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS common (status, share)
  JOIN pg_class t ON t.oid = 'import_photos'::regclass
  WHERE s.schemaname = current_schema AND s.tablename = 'import_photos' AND s.attname = 'status' AND t.reltuples > 0`;

/** Reads a bounded number of rows, of all customers. Errors: `service_unavailable`. */
export function readBacklog(dataSource: DataSource): Promise<Backlog> {
  return withoutTransaction(dataSource, async (manager) => {
    const bound = [MOST_COUNTED];
    const jobs = await select<Backlog['jobs'][number]>(manager, JOBS, bound);
    const [deliveries] = await select<Backlog['deliveries']>(manager, DELIVERIES, bound);
    const itemsUnderWay = byStatus(await select<Items>(manager, ITEMS_UNDER_WAY, bound));
    const itemsEstimated = byStatus(await select<Items>(manager, ITEMS_ESTIMATED));
    return { jobs, deliveries: deliveries ?? { waiting: 0, oldestSeconds: 0 }, itemsUnderWay, itemsEstimated };
  });
}

type Items = { readonly status: string; readonly items: number };

function byStatus(rows: readonly Items[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ status, items }) => [status, items]));
}

/** The connections of this process, and the calls that wait for one: by pg's pool, which TypeORM calls the master. */
export function poolUse(dataSource: DataSource): { open: number; idle: number; waiting: number } {
  const { totalCount, idleCount, waitingCount } = (dataSource.driver as unknown as { master: pg.Pool }).master;
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}
