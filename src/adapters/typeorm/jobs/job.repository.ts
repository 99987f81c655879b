import { randomInt } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import {
  type AttemptEnds,
  interruptionSeconds,
  type Job,
  type JobClaim,
  type JobQueue,
  type JobRepository,
  jobKey,
  MAX_ATTEMPTS,
  type Pool,
  queuePlaceOf,
  type Work,
} from '../../../core/jobs/job.js';
import type { Id } from '../../../core/shared/ids.js';
import { Batcher } from '../../shared-work.js';
import { currentTraceContext } from '../../trace-context.js';
import { clientConfig, listenOn } from '../database/connection.js';
import { change, column, inSeconds, prepared, select, selectList, tableOf } from '../database/sql.js';
import { type Statement, withoutTransaction } from '../database/transaction.js';

/** The database's clock, in microseconds. */
const moment = { type: 'timestamptz' } as const;

/** Jobs of any pool. */
export const jobTable = tableOf('job', 'job_queue', {
  customerId: column.key,
  id: column.generatedKey,
  pool: column.text,
  turn: column.text,
  lane: column.text,
  /** `jobKey` of the work. */
  key: column.text,
  work: column.document,
  /** The delivery that it makes. The job is deleted with it. */
  deliveryId: column.optionalBigWhole,
  /** The item whose file it fetches. The job is deleted with the fetch. */
  itemId: column.optionalBigWhole,
  attempt: column.whole,
  failures: column.whole,
  outages: column.whole,
  traceContext: column.optionalText,
  /** When it can be claimed; while a run holds it, when its lease expires. */
  dueAt: moment,
  lease: column.optionalText,
  /** The process that has it. */
  heldBy: column.optionalBigWhole,
  /** The same work was added during this run. */
  again: column.yesOrNo,
  /** Why the last run failed. */
  reason: column.optionalText,
  deadAt: { ...moment, nullable: true },
  createdAt: moment,
});

const JOBS_CHANNEL = 'photo_service_jobs';

/** The joins that leave only those of the waiting turns `w` from which work may be taken. */
const OPEN: Readonly<Record<Pool, string>> = {
  jobs: '',
  deliveries: `JOIN webhook_endpoints e ON e.customer_id = w.customer_id AND e.id = w.turn::bigint AND e.status = 'enabled'
      AND e.listening_until IS NULL`,
  fetches: `JOIN customers c ON c.id = w.customer_id AND c.status = 'active'`,
};

const pools = Object.keys(OPEN) as readonly Pool[];

const held = 'customer_id = $1 AND id = $2 AND lease = $3';
const heldBy = (job: Job<Pool>) => [job.customerId, job.id, job.lease];

const claimed = ['id', 'customerId', 'work', 'attempt', 'failures', 'outages', 'traceContext', 'lease'] as const;

/**
 * Jobs are due, and leased, by the clock of the database: processes share it, and those of machines may differ and jump. So statements about
 * jobs are by hand.
 */

/** The customers and endpoints with waiting jobs, found by a loose index scan: thousands of jobs of one cost no more than one. */
const turnsIn = (pool: Pool) => `
  waiting AS (
    (SELECT customer_id, turn FROM job_queue WHERE pool = '${pool}' AND dead_at IS NULL ORDER BY customer_id, turn LIMIT 1)
    UNION ALL
    SELECT following.* FROM waiting w CROSS JOIN LATERAL (
      SELECT j.customer_id, j.turn FROM job_queue j
      WHERE j.pool = '${pool}' AND j.dead_at IS NULL AND (j.customer_id, j.turn) > (w.customer_id, w.turn)
      ORDER BY j.customer_id, j.turn LIMIT 1
    ) following
  ), turns AS (
    SELECT w.customer_id, w.turn FROM waiting w ${OPEN[pool]}
    LEFT JOIN job_turns t ON t.customer_id = w.customer_id AND t.pool = '${pool}' AND t.turn = w.turn
    WHERE w.customer_id <> ALL ($4::bigint[]) AND (w.customer_id || '/' || w.turn) <> ALL ($3::text[])
    ORDER BY t.served NULLS FIRST, w.customer_id, w.turn
  )`;

/** The endpoint that `only` names. */
const ONE_TURN = `
  turns AS (
    SELECT e.customer_id, e.id::text AS turn FROM webhook_endpoints e
    WHERE e.customer_id = $4 AND e.id = $5 AND e.status = 'enabled'
  )`;

/**
 * The jobs that have been due longest, of the turn with due jobs that was served longest ago, then of the next if there are fewer. The
 * number is part of the text, so that the plan is made for it.
 */
const claimFrom = (pool: Pool, count: number, turns = turnsIn(pool)) => `
  WITH RECURSIVE ${turns}, next AS (
    SELECT due.customer_id, due.id, turns.turn FROM turns CROSS JOIN LATERAL (
      SELECT j.customer_id, j.id FROM job_queue j
      WHERE j.pool = '${pool}' AND j.customer_id = turns.customer_id AND j.turn = turns.turn AND j.dead_at IS NULL
        AND j.due_at <= now() AND (j.customer_id || '/' || j.lane) <> ALL ($3::text[])
      ORDER BY j.due_at, j.id LIMIT ${count} FOR UPDATE SKIP LOCKED
    ) due LIMIT ${count}
  ), served AS (
    INSERT INTO job_turns (customer_id, pool, turn, served)
    SELECT customer_id, '${pool}', turn, nextval('job_turn_seq')
    FROM (SELECT DISTINCT customer_id, turn FROM next ORDER BY customer_id, turn) taken
    ON CONFLICT (customer_id, pool, turn) DO UPDATE SET served = excluded.served
  )
  UPDATE job_queue j SET attempt = j.attempt + 1, lease = gen_random_uuid(), held_by = $2, due_at = ${inSeconds('$1')}, again = false
  FROM next WHERE j.customer_id = next.customer_id AND j.id = next.id
  RETURNING ${selectList(jobTable, 'j', [...claimed])}`;

const COMPLETE = prepared(`
  WITH held AS MATERIALIZED (
    SELECT j.customer_id, j.id
    FROM job_queue j JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS done (customer_id, id, lease) USING (customer_id, id, lease)
    WHERE NOT j.again ORDER BY j.customer_id, j.id FOR UPDATE OF j
  )
  DELETE FROM job_queue j USING held WHERE j.customer_id = held.customer_id AND j.id = held.id RETURNING j.lease`);

const AFTER_INTERRUPTION = inSeconds('($2::integer[])[least(j.attempt, cardinality($2::integer[]))]');
/** A holder's lock is free when its connection has ended, which the server notices immediately when the process dies. */
const RECLAIM = `
  WITH holders AS (
    SELECT DISTINCT held_by FROM job_queue WHERE lease IS NOT NULL AND held_by <> $1
  ), dead AS MATERIALIZED (
    SELECT held_by FROM holders WHERE pg_try_advisory_xact_lock(held_by)
  )
  UPDATE job_queue j SET lease = NULL, again = false,
    due_at = CASE j.pool WHEN 'jobs' THEN ${AFTER_INTERRUPTION} ELSE least(j.due_at, ${AFTER_INTERRUPTION}) END
  FROM dead WHERE j.held_by = dead.held_by AND j.lease IS NOT NULL`;

const waitsAfterInterruption = Array.from({ length: MAX_ATTEMPTS + 1 }, (_, index) => interruptionSeconds(index + 1));

/** Work that was added during the last attempt gets its own attempts. */
const GIVE_UP = `reason = $4, due_at = clock_timestamp(), outages = 0, failures = CASE WHEN again THEN 0 ELSE failures END,
  attempt = CASE WHEN again THEN 0 ELSE attempt END, dead_at = CASE WHEN again THEN NULL ELSE clock_timestamp() END`;

/** A waiting job remains unchanged, one that runs is marked, and one that is dead starts again. */
const ADD = addition(`
  again = job_queue.lease IS NOT NULL,
  due_at = CASE WHEN job_queue.dead_at IS NULL THEN job_queue.due_at ELSE clock_timestamp() END,
  attempt = CASE WHEN job_queue.dead_at IS NULL THEN job_queue.attempt ELSE 0 END,
  failures = CASE WHEN job_queue.dead_at IS NULL THEN job_queue.failures ELSE 0 END,
  trace_context = CASE WHEN job_queue.dead_at IS NULL THEN job_queue.trace_context ELSE excluded.trace_context END,
  dead_at = NULL
  WHERE job_queue.lease IS NOT NULL OR job_queue.dead_at IS NOT NULL`);

const RESTART = addition(`
  work = excluded.work, turn = excluded.turn, lane = excluded.lane, due_at = clock_timestamp(), attempt = 0, failures = 0, outages = 0,
  lease = NULL, again = false, reason = NULL, dead_at = NULL, trace_context = excluded.trace_context`);

function addition(ofKnown: string): Statement {
  return prepared(`
    WITH added AS (
      INSERT INTO job_queue (customer_id, pool, turn, lane, key, work, delivery_id, item_id, trace_context)
      SELECT $1, pool, turn, lane, key, work, (work->>'deliveryId')::bigint, (work->>'itemId')::bigint, $3
      FROM json_to_recordset($2::json) AS given (pool text, turn text, lane text, key text, work json)
      ON CONFLICT (customer_id, key) DO UPDATE SET ${ofKnown}
    )
    SELECT pg_notify('${JOBS_CHANNEL}', pool) FROM unnest($4::text[]) AS pool`);
}

/** @param run Runs statements on a connection: that of a transaction, or any. */
abstract class TypeormAttemptEnds implements AttemptEnds {
  constructor(protected readonly run: <T>(work: (manager: EntityManager) => Promise<T>) => Promise<T>) {}

  async complete(job: Job<Pool>): Promise<boolean> {
    // Between the two statements `again` can only become true, so one of them finds the job, unless its lease was lost.
    if (await this.remove(job)) return true;
    return this.end(job, 'due_at = clock_timestamp(), attempt = 0, failures = 0, outages = 0, reason = NULL', []);
  }

  release(job: Job<Pool>, reason: string, seconds: number | null): Promise<boolean> {
    if (seconds === null) return this.end(job, GIVE_UP, [reason]);
    return this.end(job, `reason = $4, failures = failures + 1, outages = 0, due_at = ${inSeconds('$5')}`, [
      reason,
      seconds,
    ]);
  }

  postpone(job: Job<Pool>, reason: string, seconds: number): Promise<boolean> {
    const later = `reason = $4, due_at = ${inSeconds('$5')}, attempt = attempt - 1, outages = outages + 1`;
    return this.end(job, later, [reason, seconds]);
  }

  /** False when it was not held, or the same work was added while it ran. */
  protected abstract remove(job: Job<Pool>): Promise<boolean>;

  private end(job: Job<Pool>, values: string, parameters: readonly unknown[]): Promise<boolean> {
    return this.run(async (manager) => {
      const free = await select(
        manager,
        `WITH free AS (UPDATE job_queue SET lease = NULL, again = false, ${values} WHERE ${held} RETURNING pool)
         SELECT pg_notify('${JOBS_CHANNEL}', pool) FROM free`,
        [...heldBy(job), ...parameters],
      );
      return free.length > 0;
    });
  }
}

export class TypeormJobRepository extends TypeormAttemptEnds implements JobRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {
    super((work) => work(manager));
  }

  /** Locks a waiting job, although nothing in it changes: so no worker can claim it before the change that it needs is committed. */
  add(...works: readonly Work[]): Promise<void> {
    return this.store(ADD, works);
  }

  addTraced(traceContext: string | null, ...works: readonly Work[]): Promise<void> {
    return this.store(ADD, works, traceContext);
  }

  restart(...works: readonly Work[]): Promise<void> {
    return this.store(RESTART, works);
  }

  async hold(job: Job<Pool>): Promise<boolean> {
    const rows = await select(this.manager, `SELECT FROM job_queue WHERE ${held} FOR NO KEY UPDATE`, heldBy(job));
    return rows.length > 0;
  }

  protected async remove(job: Job<Pool>): Promise<boolean> {
    const sql = `DELETE FROM job_queue WHERE ${held} AND NOT again`;
    return (await change(this.manager, sql, heldBy(job))).count > 0;
  }

  private async store(
    statement: Statement,
    works: readonly Work[],
    traceContext = currentTraceContext(),
  ): Promise<void> {
    if (works.length === 0) return;
    // Each once, and in the same order in every transaction: otherwise two could deadlock. Ids of one length sort as numbers do.
    const byKey = new Map(works.map((work) => [jobKey(work), { ...queuePlaceOf(work), key: jobKey(work), work }]));
    const rows = [...byKey.values()].sort((a, b) => a.key.length - b.key.length || (a.key < b.key ? -1 : 1));
    const pools = [...new Set(rows.map(({ pool }) => pool))];
    await select(this.manager, statement, [this.customerId, JSON.stringify(rows), traceContext, pools]);
  }
}

export class TypeormJobQueue extends TypeormAttemptEnds implements JobQueue {
  /** Identifies this process to others: the number of an advisory lock. */
  private readonly holder = randomInt(2 ** 47);

  /** Whether the job is gone. */
  private readonly completions = new Batcher<string, Job<Pool>, boolean>(async (_, jobs) => {
    const parameters = [jobs.map((job) => job.customerId), jobs.map((job) => job.id), jobs.map((job) => job.lease)];
    const { rows } = await this.run((manager) => change<{ lease: string }>(manager, COMPLETE, parameters));
    const gone = new Set(rows.map(({ lease }) => lease));
    return jobs.map(({ lease }) => gone.has(lease));
  });

  constructor(private readonly dataSource: DataSource) {
    super((work) => withoutTransaction(dataSource, work));
  }

  claim<P extends Pool>(pool: P, { leaseSeconds, count = 1, busy, only }: JobClaim): Promise<readonly Job<P>[]> {
    const sql = only === undefined ? claimFrom(pool, count) : claimFrom(pool, count, ONE_TURN);
    const busyLanes = busy?.lanes.map(({ customerId, lane }) => `${customerId}/${lane}`);
    const place = only === undefined ? [busy?.customerIds ?? []] : [only.customerId, Number(only.lane)];
    const parameters = [leaseSeconds, this.holder, busyLanes ?? [], ...place];
    return this.run(async (manager) => (await change<Job<P>>(manager, prepared(sql), parameters)).rows);
  }

  async extend(job: Job<Pool>, leaseSeconds: number): Promise<boolean> {
    const longer = `UPDATE job_queue SET due_at = ${inSeconds('$4')} WHERE ${held}`;
    return (await this.run((manager) => change(manager, longer, [...heldBy(job), leaseSeconds]))).count > 0;
  }

  async reclaim(): Promise<void> {
    await this.run((manager) => change(manager, RECLAIM, [this.holder, waitsAfterInterruption]));
  }

  listen(wake: (pool: Pool) => void): Promise<() => Promise<void>> {
    const where = { channel: JOBS_CHANNEL, holder: this.holder };
    return listenOn(clientConfig(this.dataSource), where, (announced) => {
      for (const pool of pools) if (announced === undefined || announced === pool) wake(pool);
    });
  }

  protected remove(job: Job<Pool>): Promise<boolean> {
    return this.completions.enqueue('completions', job);
  }
}
