import { setTimeout as sleep } from 'node:timers/promises';
import { backoffSeconds, type Job, type JobQueue, MAX_FAILURES, outageSeconds } from '../core/jobs/job.js';
import type { Uses } from '../core/ports.js';
import { isOutage } from '../core/shared/errors.js';

/** The signal fires when the lease is lost: the run must stop, and anything that it still writes must be guarded by state. */
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;

export interface WorkerOptions {
  /** Concurrent jobs. */
  readonly concurrency: number;
  /** Period for which a job is leased to a worker that does not renew. */
  readonly leaseSeconds: number;
  /** Seconds after which an idle worker polls the queue without a wake-up signal. Default 5. */
  readonly idleSeconds?: number;
  /** Called for every run that failed. Must not throw. */
  readonly onError?: (job: Job, error: unknown) => void;
  /** Called whenever the queue itself fails; the worker recovers by itself. Must not throw. */
  readonly onQueueError?: (error: unknown) => void;
}

export interface RunningWorker {
  /** Takes no more jobs and resolves when the running ones have ended. They are not interrupted. */
  stop(): Promise<void>;
}

/** Time that a full worker lets slots become free before it claims the next jobs: claiming many costs little more than claiming one. */
const HANDFUL_MS = 50;
const MAX_REASON_LENGTH = 500;

/**
 * Claims jobs as they become due and runs them, `concurrency` at a time. A run that throws is repeated after `backoffSeconds`, at most
 * MAX_FAILURES times in all, then its job is dead; one that met an outage (`isOutage`) is not counted and is due again after
 * `outageSeconds`: the job decides how long that may continue. The queue may be unavailable at any time: the worker waits, longer each time
 * up to 5 s, and continues.
 */
export function runWorker({ jobs }: Uses<'jobs'>, handle: JobHandler, options: WorkerOptions): RunningWorker {
  const worker = new Worker(jobs, handle, options);
  const ended = worker.run();
  return {
    stop() {
      worker.stop();
      return ended;
    },
  };
}

class Worker {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly wakeUp = new WakeUpSignal();
  private unlisten: (() => Promise<void>) | null = null;
  private arrived = false;
  /** The last claim returned as many as requested: there may be more. */
  private plenty = false;
  /** Consecutive failed claims. */
  private failedClaims = 0;
  /** Runs that met an outage since the last success. */
  private outages = 0;

  constructor(
    private readonly jobs: JobQueue,
    private readonly handle: JobHandler,
    private readonly options: WorkerOptions,
  ) {}

  stop(): void {
    this.stopping.abort();
    this.wakeUp.signal();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (this.free === 0) await this.waitForCapacity();
      else await this.takeNext();
    }
    await Promise.all(this.running);
    // Last: a listening process is known to be alive, and keeps its leases.
    await this.unlisten?.().catch(this.onQueueError);
  }

  private get free(): number {
    return this.options.concurrency - this.running.size;
  }

  /** Until half of the slots are free, or one has been free for a moment. */
  private async waitForCapacity(): Promise<void> {
    await this.wakeUp.wait();
    const end = performance.now() + HANDFUL_MS;
    while (!this.stopping.signal.aborted && this.free < Math.floor(this.options.concurrency / 2)) {
      const left = end - performance.now();
      if (left <= 0) return;
      await this.wakeUp.wait(left);
    }
  }

  private async takeNext(): Promise<void> {
    if (!this.arrived) await this.arrive();
    const asked = this.plenty && this.outages === 0 ? this.free : 1;
    const since = performance.now();
    const jobs = await this.claim(asked);
    this.plenty = jobs.length === asked;
    for (const job of jobs) this.start(job, since);
    if (this.failedClaims > 0) return this.pauseAfter(this.failedClaims);
    if (jobs.length > 0) return this.pauseAfter(this.outages);
    await this.wakeUp.wait((this.options.idleSeconds ?? 5) * 1000);
  }

  private async pauseAfter(failures: number): Promise<void> {
    if (failures > 0) await pause(retryMilliseconds(failures), this.stopping.signal);
  }

  private async claim(count: number): Promise<Job[]> {
    const claims = Array.from({ length: count }, () => this.jobs.claim(this.options.leaseSeconds));
    const answers = await Promise.allSettled(claims);
    const failure = answers.find((answer) => answer.status === 'rejected');
    this.failedClaims = failure === undefined ? 0 : this.failedClaims + 1;
    if (failure !== undefined) this.onQueueError(failure.reason);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value ?? []) : []));
  }

  /** Starts listening, so that nothing is missed after the first claim, and takes over jobs of dead workers. Retried before each claim. */
  private async arrive(): Promise<void> {
    try {
      this.unlisten ??= await this.jobs.listen(() => this.wakeUp.signal());
      await this.jobs.reclaim();
      this.arrived = true;
    } catch (error) {
      this.onQueueError(error);
    }
  }

  private start(job: Job, since: number): void {
    const run = this.hold(job, since).finally(() => {
      this.running.delete(run);
      this.wakeUp.signal();
    });
    this.running.add(run);
  }

  private async hold(job: Job, since: number): Promise<void> {
    const extend = (seconds: number) => this.jobs.extend(job, seconds);
    const lease = new Lease(extend, this.options.leaseSeconds, since, this.onQueueError);
    try {
      await this.write(await this.outcome(job, lease.lost), lease.lost);
    } finally {
      lease.drop();
    }
  }

  /** Runs the job. Returns the function that reports the result to the queue. */
  private async outcome(job: Job, lost: AbortSignal): Promise<() => Promise<void>> {
    try {
      await this.handle(job, lost);
      this.outages = 0;
      return () => this.jobs.complete(job);
    } catch (error) {
      this.options.onError?.(job, error);
      const reason = String(error).slice(0, MAX_REASON_LENGTH);
      if (!isOutage(error)) return () => this.jobs.release(job, reason, secondsUntilNext(job.failures + 1));
      // The server for mail says nothing about what other jobs need.
      if (job.work.kind !== 'mail') this.outages += 1;
      return () => this.jobs.postpone(job, reason, spread(outageSeconds(job.outages + 1)));
    }
  }

  /** Repeated while the queue is unavailable, until the lease is lost: the job is then due again, and runs twice. */
  private async write(outcome: () => Promise<void>, lost: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await outcome();
      } catch (error) {
        this.onQueueError(error);
        if (lost.aborted) return;
        await pause(retryMilliseconds(tries), lost);
      }
    }
  }

  private readonly onQueueError = (error: unknown): void => this.options.onQueueError?.(error);
}

/** Null: never. */
function secondsUntilNext(failures: number): number | null {
  return failures >= MAX_FAILURES ? null : spread(backoffSeconds(failures));
}

/** Up to a quarter more, so that jobs that failed together are not retried together. */
function spread(seconds: number): number {
  return Math.round(seconds * (1 + Math.random() / 4));
}

/**
 * Maintains the lease of work while it runs: extends it at a third of its length. `lost` fires when the queue reports that the lease is
 * lost, and when the queue has been unavailable for the length of a lease: by then another worker may have the work.
 */
export class Lease {
  private readonly losing = new AbortController();
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

  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** The work has ended: the lease is neither extended nor monitored any more. */
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
      const held = await this.extend();
      if (over.aborted) return;
      if (held === false) return this.lose();
      if (held) this.heldSince(asked);
    }
  }

  /** Null when the queue is unavailable. */
  private async extend(): Promise<boolean | null> {
    try {
      return await this.extendInQueue(this.seconds);
    } catch (error) {
      this.onQueueError(error);
      return null;
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
export class WakeUpSignal {
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
