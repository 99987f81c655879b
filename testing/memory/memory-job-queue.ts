import { randomUUID } from 'node:crypto';
import {
  type AttemptEnds,
  type Job,
  type JobClaim,
  type JobQueue,
  type JobRepository,
  jobKey,
  type Pool,
  queuePlaceOf,
  type Work,
} from '../../src/core/jobs/job.js';
import { type Clock, SECOND } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase, StoredJob } from './memory-database.js';

const LOOK_EVERY_MS = 100;

/** The key of a job in the table of jobs. */
export function storedJobKey(customerId: Id, work: Work): string {
  return `${customerId}/${jobKey(work)}`;
}

abstract class MemoryAttemptEnds implements AttemptEnds {
  constructor(
    protected readonly database: MemoryDatabase,
    protected readonly clock: Pick<Clock, 'now'>,
  ) {}

  complete(job: Job<Pool>): Promise<boolean> {
    return this.end(job, (held) =>
      held.again ? { ...held, attempt: 0, failures: 0, outages: 0, dueAt: this.now() } : null,
    );
  }

  release(job: Job<Pool>, reason: string, seconds: number | null): Promise<boolean> {
    return this.end(job, (before) => {
      const held = { ...before, outages: 0 };
      if (seconds !== null) return { ...held, failures: held.failures + 1, dueAt: this.in(seconds) };
      return held.again ? { ...held, attempt: 0, failures: 0, dueAt: this.now() } : { ...held, deadReason: reason };
    });
  }

  postpone(job: Job<Pool>, _reason: string, seconds: number): Promise<boolean> {
    return this.end(job, (held) => ({
      ...held,
      attempt: held.attempt - 1,
      outages: held.outages + 1,
      dueAt: this.in(seconds),
    }));
  }

  protected abstract run<T>(work: () => Promise<T>): Promise<T>;

  private end(job: Job<Pool>, next: (held: StoredJob) => StoredJob | null): Promise<boolean> {
    return this.run(async () => {
      const held = this.heldBy(job);
      if (held === null) return false;
      const free = next(held);
      if (free === null) this.database.jobs.delete(storedJobKey(held.customerId, held.work));
      else this.set({ ...free, lease: null, again: false });
      return true;
    });
  }

  protected set(job: StoredJob): void {
    this.database.jobs.set(storedJobKey(job.customerId, job.work), job);
  }

  protected heldBy(job: Job<Pool>): StoredJob | null {
    const stored = this.database.jobs.get(storedJobKey(job.customerId, job.work));
    return stored?.lease === job.lease ? stored : null;
  }

  protected in(seconds: number): number {
    return Math.round(this.now() + seconds * SECOND);
  }

  protected now(): number {
    return this.clock.now().getTime();
  }
}

export class MemoryJobRepository extends MemoryAttemptEnds implements JobRepository {
  constructor(
    database: MemoryDatabase,
    private readonly customerId: Id,
    clock: Pick<Clock, 'now'>,
  ) {
    super(database, clock);
  }

  async add(...works: readonly Work[]): Promise<void> {
    for (const work of works) this.addOne(work);
  }

  async addTraced(traceContext: string | null, ...works: readonly Work[]): Promise<void> {
    for (const work of works) this.addOne(work, traceContext);
  }

  async restart(...works: readonly Work[]): Promise<void> {
    for (const work of works) this.begin(work);
  }

  async hold(job: Job<Pool>): Promise<boolean> {
    return job.customerId === this.customerId && this.heldBy(job) !== null;
  }

  protected run<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  private addOne(work: Work, traceContext: string | null = null): void {
    const waiting = this.database.jobs.get(storedJobKey(this.customerId, work));
    if (waiting === undefined || waiting.deadReason !== null) this.begin(work, traceContext);
    else if (waiting.lease !== null) this.set({ ...waiting, again: true });
  }

  private begin(work: Work, traceContext: string | null = null): void {
    const id = this.database.jobs.get(storedJobKey(this.customerId, work))?.id ?? this.database.next('job');
    const begun = { attempt: 0, failures: 0, outages: 0, traceContext };
    const fresh = { ...begun, dueAt: this.now(), lease: null, again: false, deadReason: null };
    this.set({ id, customerId: this.customerId, work, ...queuePlaceOf(work), ...fresh });
  }
}

export class MemoryJobQueue extends MemoryAttemptEnds implements JobQueue {
  /** When each turn was last served, by a counter. */
  private readonly served = new Map<string, number>();

  claim<P extends Pool>(pool: P, { leaseSeconds, count = 1, busy, only }: JobClaim): Promise<readonly Job<P>[]> {
    return this.run(async () => {
      const isBusy = ({ customerId, lane }: StoredJob) =>
        busy?.customerIds.includes(customerId) ||
        busy?.lanes.some((one) => one.customerId === customerId && one.lane === lane);
      const due = this.due(pool).filter((job) =>
        only === undefined
          ? this.isOpen(job) && !isBusy(job)
          : job.customerId === only.customerId && job.lane === only.lane,
      );
      const turnOf = ({ customerId, turn }: StoredJob) => `${pool} ${customerId} ${turn}`;
      const served = (job: StoredJob) => this.served.get(turnOf(job)) ?? 0;
      const next = due
        .sort((a, b) => served(a) - served(b) || a.dueAt - b.dueAt || a.id - b.id)
        .slice(0, count)
        .map((job) => ({ ...job, attempt: job.attempt + 1, lease: randomUUID(), again: false }));
      for (const job of next) {
        this.set({ ...job, dueAt: this.in(leaseSeconds) });
        this.served.set(turnOf(job), this.database.next('turn'));
      }
      return next.map(({ id, customerId, work, attempt, failures, outages, traceContext, lease }) => {
        const job: Job<Pool> = { id, customerId, work, attempt, failures, outages, traceContext, lease };
        return job as Job<P>;
      });
    });
  }

  extend(job: Job<Pool>, leaseSeconds: number): Promise<boolean> {
    return this.run(async () => {
      const held = this.heldBy(job);
      if (held !== null) this.set({ ...held, dueAt: this.in(leaseSeconds) });
      return held !== null;
    });
  }

  /** Holders live and die with the memory. */
  async reclaim(): Promise<void> {}

  async listen(wake: (pool: Pool) => void): Promise<() => Promise<void>> {
    const look = () => {
      for (const pool of ['jobs', 'deliveries', 'fetches'] as const) if (this.due(pool).length > 0) wake(pool);
    };
    const unlisten = this.database.onCommit(look);
    // No signal comes when a clock has moved on.
    const looking = setInterval(look, LOOK_EVERY_MS).unref();
    return async () => {
      clearInterval(looking);
      unlisten();
    };
  }

  protected run<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  private due(pool: Pool): StoredJob[] {
    const now = this.now();
    return this.database.jobs.where(
      (job) => job.pool === pool && job.deadReason === null && job.dueAt <= now && this.isWaitedFor(job),
    );
  }

  /** Whether the endpoint is enabled, and the customer of a fetch active. */
  private isWaitedFor({ customerId, work }: StoredJob): boolean {
    if (work.kind === 'deliver') return this.database.webhookEndpoints.get(work.endpointId)?.status === 'enabled';
    return work.kind !== 'fetch' || this.database.customers.get(customerId)?.status === 'active';
  }

  /** Whether no program listens at the endpoint. */
  private isOpen({ work }: StoredJob): boolean {
    return work.kind !== 'deliver' || this.database.webhookEndpoints.get(work.endpointId)?.listeningUntil === null;
  }
}
