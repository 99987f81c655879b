import { randomUUID } from 'node:crypto';
import { type Job, type JobAdder, type JobQueue, type JobWork, jobKey } from '../../src/core/jobs/job.js';
import { currentTraceContext } from '../../src/core/jobs/trace-context.js';
import { type Clock, SECOND } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase, StoredJob } from './memory-database.js';

const keyOf = ({ customerId, work }: Pick<StoredJob, 'customerId' | 'work'>) => `${customerId}/${jobKey(work)}`;

const LOOK_EVERY_MS = 100;

export class MemoryJobAdder implements JobAdder {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async add(...works: readonly JobWork[]): Promise<void> {
    for (const work of works) this.addOne(work);
  }

  private addOne(work: JobWork): void {
    const key = keyOf({ customerId: this.customerId, work });
    const waiting = this.database.jobs.get(key);
    if (waiting !== undefined && waiting.deadReason === null) {
      if (waiting.lease !== null) this.database.jobs.set(key, { ...waiting, again: true });
      return;
    }
    const id = waiting?.id ?? this.database.next('job');
    const dueAt = this.clock.now().getTime();
    const begun = { attempt: 0, failures: 0, outages: 0, traceContext: currentTraceContext() };
    const fresh = { ...begun, dueAt, lease: null, again: false, deadReason: null };
    this.database.jobs.set(key, { id, customerId: this.customerId, work, ...fresh });
  }
}

export class MemoryJobQueue implements JobQueue {
  /** When each customer was last served, by a counter. */
  private readonly served = new Map<Id, number>();

  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {}

  claim(leaseSeconds: number): Promise<Job | null> {
    return this.database.transaction(async () => {
      const now = this.clock.now().getTime();
      const due = this.database.jobs.where((job) => job.deadReason === null && job.dueAt <= now);
      const turn = (job: StoredJob) => this.served.get(job.customerId) ?? 0;
      const [next] = due.sort((a, b) => turn(a) - turn(b) || a.dueAt - b.dueAt || a.id - b.id);
      if (next === undefined) return null;
      const lease = randomUUID();
      const held = { ...next, attempt: next.attempt + 1, lease, again: false, dueAt: now + leaseSeconds * SECOND };
      this.database.jobs.set(keyOf(next), held);
      this.served.set(next.customerId, this.database.next('turn'));
      const { id, customerId, work, attempt, failures, outages, traceContext } = held;
      return { id, customerId, work, attempt, failures, outages, traceContext, lease };
    });
  }

  extend(job: Job, leaseSeconds: number): Promise<boolean> {
    return this.database.transaction(async () => {
      const held = this.heldBy(job);
      if (held === null) return false;
      this.database.jobs.set(keyOf(held), { ...held, dueAt: this.clock.now().getTime() + leaseSeconds * SECOND });
      return true;
    });
  }

  complete(job: Job): Promise<void> {
    return this.letGo(job, (held) =>
      held.again ? { ...held, attempt: 0, failures: 0, outages: 0, dueAt: this.now() } : null,
    );
  }

  release(job: Job, reason: string, seconds: number | null): Promise<void> {
    return this.letGo(job, (before) => {
      const held = { ...before, outages: 0 };
      if (seconds !== null) return { ...held, failures: held.failures + 1, dueAt: this.now() + seconds * SECOND };
      return held.again ? { ...held, attempt: 0, failures: 0, dueAt: this.now() } : { ...held, deadReason: reason };
    });
  }

  postpone(job: Job, _reason: string, seconds: number): Promise<void> {
    const later = () => this.now() + seconds * SECOND;
    return this.letGo(job, (held) => ({
      ...held,
      attempt: held.attempt - 1,
      outages: held.outages + 1,
      dueAt: later(),
    }));
  }

  /** Holders live and die with the memory. */
  async reclaim(): Promise<void> {}

  async listen(wake: () => void): Promise<() => Promise<void>> {
    const look = () => {
      const due = (job: StoredJob) => job.deadReason === null && job.dueAt <= this.now();
      if (this.database.jobs.where(due).length > 0) wake();
    };
    const unlisten = this.database.onCommit(look);
    // Nobody tells when a clock has moved on.
    const looking = setInterval(look, LOOK_EVERY_MS).unref();
    return async () => {
      clearInterval(looking);
      unlisten();
    };
  }

  private letGo(job: Job, next: (held: StoredJob) => StoredJob | null): Promise<void> {
    return this.database.transaction(async () => {
      const held = this.heldBy(job);
      if (held === null) return;
      const free = next(held);
      if (free === null) this.database.jobs.delete(keyOf(held));
      else this.database.jobs.set(keyOf(held), { ...free, lease: null, again: false });
    });
  }

  private heldBy(job: Job): StoredJob | null {
    const stored = this.database.jobs.get(keyOf(job));
    return stored?.lease === job.lease ? stored : null;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
