import type { Job, JobWork } from './job.js';

/** The worker's side: jobs of all customers, taken in turns so that one customer's thousands do not keep another's one waiting. */
export interface JobQueue {
  /**
   * The next due job, held for `leaseSeconds` by the database's clock; its `attempt` is already written. Null when nothing is due.
   * No two callers hold one job at the same time. A job whose lease ran out is due again. Callers at the same moment may be given jobs
   * of one turn of a customer.
   */
  claim(leaseSeconds: number): Promise<Job | null>;
  /** Holds it longer. False when the lease was lost: the run must stop. */
  extend(job: Job, leaseSeconds: number): Promise<boolean>;
  /** Done. If the same work was added while it ran, it is due again at once. Nothing happens when the lease was lost. */
  complete(job: Job): Promise<void>;
  /** Failed: due again after `seconds`, or never with null (a dead job, kept with its reason). Nothing happens when the lease was lost. */
  release(job: Job, reason: string, seconds: number | null): Promise<void>;
  /**
   * Due again after `seconds`, and this run's attempt is not counted, but one more of the job's `outages`: for a job that could
   * not be done because something it needs is away. Every other outcome sets those to 0. Nothing happens when the lease was lost.
   */
  postpone(job: Job, reason: string, seconds: number): Promise<void>;
  /**
   * Takes the jobs from holders that are known to be dead: they are due after `cutOffSeconds`, and nobody has to wait until their
   * leases run out. Asked at a worker's start, once it listens. A job whose holder lives, or might, is left alone.
   */
  reclaim(): Promise<void>;
  /** Calls `wake` soon after a job may have become due. Returns the way to stop it. Whoever listens is known to live. */
  listen(wake: () => void): Promise<() => Promise<void>>;
}

/** The other side, inside a transaction: the job exists if and only if the change does. */
export interface JobAdder {
  /**
   * Adding work that waits already changes nothing; work that is running is run once more afterwards. The jobs keep the cause (`withTraceContext`)
   * of the change that brought them, or brought them back to life.
   */
  add(...works: readonly JobWork[]): Promise<void>;
}
