import type { Job, JobWork } from './job.js';

/** The worker's side: jobs of all customers, in turns, so that one customer's thousands do not delay another's single job. */
export interface JobQueue {
  /**
   * The next due job, leased for `leaseSeconds` by the database's clock; its `attempt` is already incremented. Null when nothing is due. No
   * two callers hold one job at the same time. A job whose lease has expired is due again. Concurrent callers may get jobs of the same
   * customer in one turn.
   */
  claim(leaseSeconds: number): Promise<Job | null>;
  /** Extends the lease. False when it was lost: the run must stop. */
  extend(job: Job, leaseSeconds: number): Promise<boolean>;
  /** Done. If the same work was added while it ran, it is due again immediately. Nothing happens when the lease was lost. */
  complete(job: Job): Promise<void>;
  /**
   * Failed: due again after `seconds`, or never with null (a dead job, retained with its reason). Nothing happens when the lease was lost.
   */
  release(job: Job, reason: string, seconds: number | null): Promise<void>;
  /**
   * Due again after `seconds`; this run does not count as an attempt, but as one more of the job's `outages`: for a job that could not run
   * because a dependency was unavailable. Every other outcome resets those to 0. Nothing happens when the lease was lost.
   */
  postpone(job: Job, reason: string, seconds: number): Promise<void>;
  /**
   * Releases the jobs of holders that are known to be dead: they are due after `interruptionSeconds`, and nobody has to wait until their leases
   * expire. Called at a worker's start, once it listens. A job whose holder is, or may be, alive is left alone.
   */
  reclaim(): Promise<void>;
  /** Calls `wake` soon after a job may have become due. Returns the function that stops it. A listening process is known to be alive. */
  listen(wake: () => void): Promise<() => Promise<void>>;
}

/** The part inside a transaction: the job exists if and only if the change is committed. */
export interface JobAdder {
  /**
   * Adding work that is already waiting changes nothing; work that is running runs once more afterwards. The jobs store the trace context
   * (`withTraceContext`) of the change that added or revived them.
   */
  add(...works: readonly JobWork[]): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Repositories {
    readonly jobs: JobAdder;
  }
}
