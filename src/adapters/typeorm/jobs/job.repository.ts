import { randomInt } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import {
  interruptionSeconds,
  type Job,
  type JobAdder,
  type JobQueue,
  type JobWork,
  jobKey,
  MAX_ATTEMPTS,
} from '../../../core/jobs/job.js';
import { currentTraceContext } from '../../../core/jobs/trace-context.js';
import type { Id } from '../../../core/shared/ids.js';
import { Batcher } from '../../batcher.js';
import { clientConfig, listenOn } from '../database/connection.js';
import {
  change,
  document,
  generatedKey,
  inSeconds,
  key,
  optionalText,
  prepared,
  select,
  selectList,
  tableOf,
  text,
  whole,
  yesOrNo,
} from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

export interface JobRow {
  readonly customerId: Id;
  readonly id: Id;
  /** `jobKey` of the work. */
  readonly key: string;
  readonly work: JobWork;
  readonly attempt: number;
  readonly failures: number;
  readonly outages: number;
  readonly traceContext: string | null;
  /** When it can be claimed; while a run holds it, when its lease expires. */
  readonly dueAt: Date;
  readonly lease: string | null;
  /** The same work was added during this run. */
  readonly again: boolean;
  /** Why the last run failed. */
  readonly reason: string | null;
  readonly deadAt: Date | null;
  readonly createdAt: Date;
}

/** The database's clock, in microseconds. */
const moment = { type: 'timestamptz' } as const;

export const jobTable = tableOf<JobRow>('job', 'jobs', {
  customerId: key,
  id: generatedKey,
  key: text,
  work: document,
  attempt: whole,
  failures: whole,
  outages: whole,
  traceContext: optionalText,
  dueAt: moment,
  lease: optionalText,
  again: yesOrNo,
  reason: optionalText,
  deadAt: { ...moment, nullable: true },
  createdAt: moment,
});

const JOBS_CHANNEL = 'photo_service_jobs';

const held = 'customer_id = $1 AND id = $2 AND lease = $3';
const heldBy = (job: Job) => [job.customerId, job.id, job.lease];
const notify = `pg_notify('${JOBS_CHANNEL}', '')`;
/**
 * Jobs are due, and leased, by the clock of the database: processes share it, and those of machines may differ and jump. So statements about
 * jobs are by hand.
 */

/**
 * The jobs that have been due longest, of the customer with due jobs that was served longest ago, then of the next if there are fewer. The
 * customers are found by a loose index scan, so thousands of jobs of one cost no more than one. The number is part of the text, so that the
 * plan is made for it.
 */
const claimOf = (count: number) => `
  WITH RECURSIVE waiting AS (
    (SELECT customer_id FROM jobs WHERE dead_at IS NULL ORDER BY customer_id LIMIT 1)
    UNION ALL
    SELECT (SELECT j.customer_id FROM jobs j WHERE j.dead_at IS NULL AND j.customer_id > w.customer_id
            ORDER BY j.customer_id LIMIT 1)
    FROM waiting w WHERE w.customer_id IS NOT NULL
  ), turns AS (
    SELECT w.customer_id FROM waiting w LEFT JOIN job_turns t USING (customer_id)
    WHERE w.customer_id IS NOT NULL ORDER BY t.served NULLS FIRST, w.customer_id
  ), next AS (
    SELECT due.customer_id, due.id FROM turns CROSS JOIN LATERAL (
      SELECT j.customer_id, j.id FROM jobs j
      WHERE j.customer_id = turns.customer_id AND j.dead_at IS NULL AND j.due_at <= now()
      ORDER BY j.due_at, j.id LIMIT ${count} FOR UPDATE SKIP LOCKED
    ) due LIMIT ${count}
  ), turn AS (
    INSERT INTO job_turns (customer_id, served)
    SELECT customer_id, nextval('job_turn_seq') FROM (SELECT DISTINCT customer_id FROM next ORDER BY customer_id) served
    ON CONFLICT (customer_id) DO UPDATE SET served = excluded.served
  )
  UPDATE jobs j SET attempt = j.attempt + 1, lease = gen_random_uuid(), held_by = $2, due_at = ${inSeconds('$1')}, again = false
  FROM next WHERE j.customer_id = next.customer_id AND j.id = next.id
  RETURNING ${selectList(jobTable, 'j', ['id', 'customerId', 'work', 'attempt', 'failures', 'outages', 'traceContext', 'lease'])}`;

const CLAIM_ONE = prepared(claimOf(1));

const COMPLETE = `
  WITH held AS MATERIALIZED (
    SELECT j.customer_id, j.id
    FROM jobs j JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS done (customer_id, id, lease) USING (customer_id, id, lease)
    WHERE NOT j.again ORDER BY j.customer_id, j.id FOR UPDATE OF j
  )
  DELETE FROM jobs USING held WHERE jobs.customer_id = held.customer_id AND jobs.id = held.id RETURNING jobs.lease`;

/** A holder's lock is free when its connection has ended, which the server notices immediately when the process dies. */
const RECLAIM = `
  WITH holders AS (
    SELECT DISTINCT held_by FROM jobs WHERE lease IS NOT NULL AND held_by <> $1
  ), dead AS MATERIALIZED (
    SELECT held_by FROM holders WHERE pg_try_advisory_xact_lock(held_by)
  )
  UPDATE jobs SET lease = NULL, again = false, due_at = ${inSeconds('($2::integer[])[jobs.attempt]')}
  FROM dead WHERE jobs.held_by = dead.held_by AND jobs.lease IS NOT NULL`;

const waitsAfterInterruption = Array.from({ length: MAX_ATTEMPTS + 1 }, (_, index) => interruptionSeconds(index + 1));

/** Work that was added during the last attempt gets its own attempts. */
const GIVE_UP = `reason = $4, due_at = clock_timestamp(), outages = 0, failures = CASE WHEN again THEN 0 ELSE failures END,
  attempt = CASE WHEN again THEN 0 ELSE attempt END, dead_at = CASE WHEN again THEN NULL ELSE clock_timestamp() END`;

export class TypeormJobAdder implements JobAdder {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  /**
   * A waiting job is locked until the transaction ends, although nothing in it changes: so no worker can claim it before the change that it
   * needs is committed. A dead job starts again.
   */
  async add(...works: readonly JobWork[]): Promise<void> {
    if (works.length === 0) return;
    // Each once, and in the same order in every transaction: otherwise two could deadlock.
    const byKey = new Map(works.map((work) => [jobKey(work), JSON.stringify(work)]));
    const keys = [...byKey.keys()].sort();
    await select(
      this.manager,
      prepared(`WITH added AS (
         INSERT INTO jobs (customer_id, key, work, trace_context)
         SELECT $1, key, work::json, $4 FROM unnest($2::text[], $3::text[]) AS given (key, work)
         ON CONFLICT (customer_id, key) DO UPDATE SET
           again = jobs.lease IS NOT NULL,
           due_at = CASE WHEN jobs.dead_at IS NULL THEN jobs.due_at ELSE clock_timestamp() END,
           attempt = CASE WHEN jobs.dead_at IS NULL THEN jobs.attempt ELSE 0 END,
           failures = CASE WHEN jobs.dead_at IS NULL THEN jobs.failures ELSE 0 END,
           trace_context = CASE WHEN jobs.dead_at IS NULL THEN jobs.trace_context ELSE excluded.trace_context END,
           dead_at = NULL
         WHERE jobs.lease IS NOT NULL OR jobs.dead_at IS NOT NULL
       )
       SELECT ${notify}`),
      [this.customerId, keys, keys.map((key) => byKey.get(key)), currentTraceContext()],
    );
  }
}

export class TypeormJobQueue implements JobQueue {
  /** Identifies this process to others: the number of an advisory lock. */
  private readonly holder = randomInt(2 ** 47);

  private readonly claims = new Batcher<number, null, Job | null>(async (leaseSeconds, calls) => {
    const { rows } = await withoutTransaction(this.dataSource, (manager) =>
      change<Job>(manager, calls.length === 1 ? CLAIM_ONE : claimOf(calls.length), [leaseSeconds, this.holder]),
    );
    return calls.map((_, index) => rows[index] ?? null);
  });

  /** Whether the job is gone. */
  private readonly completions = new Batcher<string, Job, boolean>(async (_, jobs) => {
    const parameters = [jobs.map((job) => job.customerId), jobs.map((job) => job.id), jobs.map((job) => job.lease)];
    const { rows } = await withoutTransaction(this.dataSource, (manager) =>
      change<{ lease: string }>(manager, prepared(COMPLETE), parameters),
    );
    const gone = new Set(rows.map(({ lease }) => lease));
    return jobs.map(({ lease }) => gone.has(lease));
  });

  constructor(private readonly dataSource: DataSource) {}

  /** The first claim is a separate statement; those that arrive while it runs are batched, and count as one turn of a customer. */
  claim(leaseSeconds: number): Promise<Job | null> {
    return this.claims.enqueue(leaseSeconds, null);
  }

  async extend(job: Job, leaseSeconds: number): Promise<boolean> {
    const longer = `UPDATE jobs SET due_at = ${inSeconds('$4')} WHERE ${held}`;
    return (await this.run(longer, [...heldBy(job), leaseSeconds])) > 0;
  }

  async complete(job: Job): Promise<void> {
    // Between the two statements `again` can only become true, so one of them finds the job, unless its lease was lost.
    if (await this.completions.enqueue('completions', job)) return;
    await this.releaseJob(job, 'due_at = clock_timestamp(), attempt = 0, failures = 0, outages = 0, reason = NULL', []);
  }

  release(job: Job, reason: string, seconds: number | null): Promise<void> {
    if (seconds === null) return this.releaseJob(job, GIVE_UP, [reason]);
    return this.releaseJob(job, `reason = $4, failures = failures + 1, outages = 0, due_at = ${inSeconds('$5')}`, [
      reason,
      seconds,
    ]);
  }

  postpone(job: Job, reason: string, seconds: number): Promise<void> {
    const later = `reason = $4, due_at = ${inSeconds('$5')}, attempt = attempt - 1, outages = outages + 1`;
    return this.releaseJob(job, later, [reason, seconds]);
  }

  async reclaim(): Promise<void> {
    await this.run(RECLAIM, [this.holder, waitsAfterInterruption]);
  }

  listen(wake: () => void): Promise<() => Promise<void>> {
    return listenOn(clientConfig(this.dataSource), { channel: JOBS_CHANNEL, holder: this.holder }, wake);
  }

  private async releaseJob(job: Job, values: string, parameters: readonly unknown[]): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      select(
        manager,
        `WITH free AS (UPDATE jobs SET lease = NULL, again = false, ${values} WHERE ${held} RETURNING id)
         SELECT ${notify} FROM free`,
        [...heldBy(job), ...parameters],
      ),
    );
  }

  private run(sql: string, parameters: readonly unknown[]): Promise<number> {
    return withoutTransaction(this.dataSource, async (manager) => (await change(manager, sql, parameters)).count);
  }
}
