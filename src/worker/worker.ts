import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type JobQueue, type Lane, type Pool, queuePlaceOf } from '../core/jobs/job.js';
import type { Uses } from '../core/ports.js';
import type { Id } from '../core/shared/ids.js';

/** The most jobs of a pool at the same time in this process; of one customer; and in one lane of a customer. */
export interface Slots {
  readonly all: number;
  readonly customer?: number;
  readonly lane?: number;
}

/** Slots for one kind of work, and how it is done. */
export interface WorkerPool<P extends Pool = Pool> {
  readonly pool: P;
  readonly slots: Slots;
  /** Period for which a job is leased to a worker that does not renew. */
  readonly leaseSeconds: number;
  /** Takes jobs of this lane alone. */
  readonly only?: Lane;
  /** Whether the job is still to be done; asked whenever its lease is extended. Default: it is. */
  isWanted?(job: Job<P>): Promise<boolean>;
  /**
   * Makes an attempt and reports its end to the queue; `failed`: for a reason that says nothing about other jobs. It has to end when its lease
   * was lost, or the service stops. If it throws, that is trouble on our side, and the job remains leased until the lease expires. After
   * trouble, and after an outage, the pool pauses before each claim, longer each time up to 5 s, until an attempt is done.
   */
  attempt(
    job: Job<P>,
    signals: { readonly lost: AbortSignal; readonly stopping: AbortSignal },
  ): Promise<'done' | 'failed' | 'outage'>;
  /** Called for trouble of an attempt, and whenever the queue itself fails; the worker recovers by itself. Must not throw. */
  onError(error: unknown): void;
}

export interface RunningWorker {
  /** Takes no more jobs and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Seconds after which an idle pool polls the queue without a wake-up signal. */
const IDLE_SECONDS = 5;
/** Time that a full pool lets slots become free before it claims the next jobs: claiming many costs little more than claiming one. */
const HANDFUL_MS = 50;

/**
 * Claims jobs of these pools as they become due and runs them, many at a time. Any number of processes may do this at once. The queue may be
 * unavailable at any time: the worker waits, longer each time up to 5 s, and continues.
 */
export function runWorker(
  { jobs }: Uses<'jobs'>,
  pools: readonly WorkerPool[],
  { idleSeconds = IDLE_SECONDS }: { readonly idleSeconds?: number } = {},
): RunningWorker {
  const stopping = new AbortController();
  let unlisten: (() => Promise<void>) | null = null;
  let arrival: Promise<boolean> | null = null;
  // One connection listens for all pools.
  const listen = async () => {
    unlisten ??= await jobs.listen((pool) => {
      for (const { work, wakeUp } of runners) if (work.pool === pool) wakeUp.signal();
    });
    await jobs.reclaim();
    return true;
  };
  // Starts listening, so that nothing is missed after the first claim, and takes over jobs of dead workers. Retried before each claim.
  const arrive = async (onError: (error: unknown) => void) => {
    arrival ??= listen().catch((error: unknown) => {
      onError(error);
      return false;
    });
    const tried = arrival;
    // Another pool may have begun the next try already.
    if (!(await tried) && arrival === tried) arrival = null;
  };
  const runners = pools.map((pool) => new PoolRunner(jobs, pool, arrive, stopping.signal, idleSeconds * 1000));
  const ended = Promise.all(runners.map((runner) => runner.run())).then(() =>
    // Last: a listening process is known to be alive, and keeps its leases.
    unlisten?.().catch((error: unknown) => runners[0]?.work.onError(error)),
  );
  return {
    stop() {
      stopping.abort();
      for (const runner of runners) runner.wakeUp.signal();
      return ended;
    },
  };
}

class PoolRunner {
  readonly wakeUp = new WakeUpSignal();
  private readonly running = new Map<Job<Pool>, Promise<void>>();
  /** No slots are counted but those of the pool: many jobs may be claimed at once. */
  private readonly claimsMany: boolean;
  /** The last claim returned as many as requested: there may be more. */
  private plenty = false;
  /** Consecutive failed claims. */
  private failedClaims = 0;
  /** Attempts that met an outage or trouble since the last that was done. */
  private troubles = 0;

  constructor(
    private readonly jobs: JobQueue,
    readonly work: WorkerPool,
    private readonly arrive: (onError: (error: unknown) => void) => Promise<void>,
    private readonly stopping: AbortSignal,
    private readonly idleMs: number,
  ) {
    this.claimsMany = work.slots.customer === undefined && work.slots.lane === undefined;
  }

  async run(): Promise<void> {
    while (!this.stopping.aborted) {
      if (this.free === 0) await this.waitForCapacity();
      else await this.takeNext();
    }
    await Promise.all(this.running.values());
  }

  private get free(): number {
    return this.work.slots.all - this.running.size;
  }

  /** Until half of the slots are free, or one has been free for a moment. */
  private async waitForCapacity(): Promise<void> {
    await this.wakeUp.wait();
    if (!this.claimsMany) return;
    const end = performance.now() + HANDFUL_MS;
    while (!this.stopping.aborted && this.free < Math.floor(this.work.slots.all / 2)) {
      const left = end - performance.now();
      if (left <= 0) return;
      await this.wakeUp.wait(left);
    }
  }

  private async takeNext(): Promise<void> {
    await this.arrive((error) => this.work.onError(error));
    const count = this.claimsMany && this.plenty && this.troubles === 0 ? this.free : 1;
    const since = performance.now();
    const jobs = await this.claim(count);
    this.plenty = jobs.length === count;
    for (const job of jobs) this.start(job, since);
    if (this.failedClaims > 0) return this.pauseAfter(this.failedClaims);
    if (jobs.length > 0) return this.pauseAfter(this.troubles);
    await this.wakeUp.wait(this.idleMs);
  }

  private async pauseAfter(failures: number): Promise<void> {
    if (failures > 0) await pause(retryMilliseconds(failures), this.stopping);
  }

  private async claim(count: number): Promise<readonly Job<Pool>[]> {
    const { pool, slots, leaseSeconds, only } = this.work;
    const busy = busyIn([...this.running.keys()], slots);
    try {
      const jobs = await this.jobs.claim(pool, { leaseSeconds, count, busy, ...(only && { only }) });
      this.failedClaims = 0;
      return jobs;
    } catch (error) {
      this.failedClaims += 1;
      this.work.onError(error);
      return [];
    }
  }

  private start(job: Job<Pool>, since: number): void {
    const run = this.hold(job, since).finally(() => {
      this.running.delete(job);
      this.wakeUp.signal();
    });
    this.running.set(job, run);
  }

  private async hold(job: Job<Pool>, since: number): Promise<void> {
    const { work, jobs, stopping } = this;
    const extend = async (seconds: number) =>
      (await jobs.extend(job, seconds)) && ((await work.isWanted?.(job)) ?? true);
    const lease = new Lease(extend, work.leaseSeconds, since, (error) => work.onError(error));
    try {
      const end = await work.attempt(job, { lost: lease.lost, stopping });
      if (end === 'done') this.troubles = 0;
      if (end === 'outage') this.troubles += 1;
    } catch (error) {
      this.troubles += 1;
      work.onError(error);
    } finally {
      lease.drop();
    }
  }
}

/** Returns the customers and lanes that use all their slots. */
export function busyIn(
  running: readonly Pick<Job<Pool>, 'customerId' | 'work'>[],
  { customer = Number.POSITIVE_INFINITY, lane = Number.POSITIVE_INFINITY }: Omit<Slots, 'all'>,
): { readonly customerIds: readonly Id[]; readonly lanes: readonly Lane[] } {
  const counts = new Map<Id | string, { count: number; readonly of: Lane }>();
  for (const { customerId, work } of running) {
    const { lane } = queuePlaceOf(work);
    for (const name of [customerId, `${customerId}/${lane}`]) {
      const before = counts.get(name)?.count ?? 0;
      counts.set(name, { count: before + 1, of: { customerId, lane } });
    }
  }
  const full = (type: 'number' | 'string', slots: number) =>
    [...counts].flatMap(([name, { count, of }]) => (typeof name === type && count >= slots ? of : []));
  return { customerIds: full('number', customer).map(({ customerId }) => customerId), lanes: full('string', lane) };
}

/**
 * Maintains the lease of work while it runs: extends it at a third of its length. `lost` fires when the queue reports that the lease is
 * lost, and when the queue has been unavailable for the length of a lease: by then another worker may have the work.
 */
class Lease {
  private readonly losing = new AbortController();
  readonly lost = this.losing.signal;
  private readonly dropping = new AbortController();
  private readonly milliseconds: number;
  private expiry: NodeJS.Timeout | undefined;

  /**
   * @param extendInQueue Extends it in the queue; false when it is lost.
   * @param since The value of `performance.now()` before the work was claimed. The wall clock may jump and is not used.
   */
  constructor(
    private readonly extendInQueue: (seconds: number) => Promise<boolean>,
    private readonly seconds: number,
    since: number,
    private readonly onQueueError: (error: unknown) => void,
  ) {
    this.milliseconds = seconds * 1000;
    this.heldSince(since);
    void this.keep();
  }

  /** The work has ended: the lease is no longer extended or monitored. */
  drop(): void {
    clearTimeout(this.expiry);
    this.dropping.abort();
  }

  private async keep(): Promise<void> {
    const over = AbortSignal.any([this.losing.signal, this.dropping.signal]);
    for (;;) {
      await pause(this.milliseconds / 3, over);
      if (over.aborted) return;
      const asked = performance.now();
      // Null when the queue is unavailable.
      const held = await this.extendInQueue(this.seconds).catch((error: unknown) => {
        this.onQueueError(error);
        return null;
      });
      if (over.aborted) return;
      if (held === false) return this.lose();
      if (held) this.heldSince(asked);
    }
  }

  private heldSince(moment: number): void {
    clearTimeout(this.expiry);
    this.expiry = setTimeout(() => this.lose(), moment + this.milliseconds - performance.now());
  }

  private lose(): void {
    clearTimeout(this.expiry);
    this.losing.abort(new Error('The lease was lost.'));
  }
}

const MAX_RETRY_MS = 5000;

/**
 * Resolves after so many milliseconds, or immediately when the signal fires.
 * @param idle Such a pause does not keep the process alive.
 */
export async function pause(milliseconds: number, until: AbortSignal, { idle = false } = {}): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until, ref: !idle }).catch(() => undefined);
}

/** After so many consecutive failures, from the first on: a quarter of a second, half a second, one, two … up to five. */
export function retryMilliseconds(failures: number): number {
  return Math.min(MAX_RETRY_MS, 125 * 2 ** Math.min(failures, 10));
}

/** Stores one signal for a later waiter, so that nothing is missed between checking for work and waiting. */
class WakeUpSignal {
  private isSignalled = false;
  private wake = (): void => {};

  signal(): void {
    this.isSignalled = true;
    this.wake();
  }

  /** Until a signal arrives, or for so many milliseconds. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.isSignalled) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
    }
    this.isSignalled = false;
  }
}
