import { randomInt } from 'node:crypto';
import type { Id } from '../shared/ids.js';

/** Work that runs later. A handler may run twice for one job, with the same effect as one run. */
export type JobWork =
  /** Inspect the bytes of a `processing` item. */
  | { readonly kind: 'inspect'; readonly importId: Id; readonly photoId: Id }
  /** Publish the ready items of a finalized import. */
  | { readonly kind: 'publish'; readonly importId: Id }
  /** Give the photos of deleted tags their new versions. */
  | { readonly kind: 'renew' }
  /** Apply an edit of many photos to the next of them, or undo it for them. */
  | { readonly kind: 'bulk_edit'; readonly bulkEditId: Id }
  /** Send a mail, which is sealed; the rest is what may be logged of it. A second run sends it twice. */
  | {
      readonly kind: 'mail';
      readonly id: string;
      readonly template: string;
      readonly userId: Id;
      readonly sealed: string;
    };

/** Send an event to a webhook endpoint. */
export interface DeliveryWork {
  readonly kind: 'deliver';
  readonly endpointId: Id;
  readonly deliveryId: Id;
}

/** Fetch the bytes of a `fetching` item, for this upload of it, from another server, whose host and port are `host`. */
export interface FetchWork {
  readonly kind: 'fetch';
  readonly importId: Id;
  readonly itemId: Id;
  readonly uploadId: number;
  readonly host: string;
}

/** The kinds of work by the pool of slots that runs them: what waits for slow receivers and sources does not delay the rest. */
interface WorkByPool {
  readonly jobs: JobWork;
  readonly deliveries: DeliveryWork;
  readonly fetches: FetchWork;
}

export type Pool = keyof WorkByPool;

/** Any work: that of all pools, or of one. */
export type Work<P extends Pool = Pool> = WorkByPool[P];

export interface Job<P extends Pool = 'jobs'> {
  readonly id: Id;
  readonly customerId: Id;
  readonly work: Work<P>;
  /** The number of this attempt, from 1; stored before the attempt begins. */
  readonly attempt: number;
  /** Number of earlier attempts that failed; the others were interrupted, or ended in an outage. */
  readonly failures: number;
  /** Number of consecutive attempts before this one that ended in an outage. */
  readonly outages: number;
  /** The trace context of the change that added it, as a W3C `traceparent`; null when there was none. */
  readonly traceContext: string | null;
  /** Proves that this attempt holds the job. */
  readonly lease: string;
}

/** One job per customer and work: adding it again while it waits changes nothing. */
export function jobKey(work: Work): string {
  switch (work.kind) {
    case 'inspect':
      return `inspect/${work.importId}/${work.photoId}`;
    case 'publish':
      return `publish/${work.importId}`;
    case 'renew':
      return 'renew';
    case 'bulk_edit':
      return `bulk_edit/${work.bulkEditId}`;
    case 'mail':
      return `mail/${work.id}`;
    case 'deliver':
      return `deliver/${work.deliveryId}`;
    case 'fetch':
      return `fetch/${work.itemId}`;
  }
}

/**
 * The place where work waits. The queue gives out the work of whom it served longest ago first (`turnsIn` of its repository); few jobs of a
 * lane run at the same time (worker/pools.ts), and pictures are decoded in turn, too (`FairLimit` of the media reader).
 */
export interface QueuePlace {
  readonly pool: Pool;
  /** The part of the customer's work that takes turns on its own: that of a webhook endpoint; otherwise empty, for all of it. */
  readonly turn: string;
  /** The receiver or source that few jobs of the customer use at the same time. */
  readonly lane: string;
}

export function queuePlaceOf(work: Work): QueuePlace {
  switch (work.kind) {
    case 'deliver':
      return { pool: 'deliveries', turn: String(work.endpointId), lane: String(work.endpointId) };
    case 'fetch':
      return { pool: 'fetches', turn: '', lane: work.host };
    default:
      return { pool: 'jobs', turn: '', lane: '' };
  }
}

/** Failures after which a job is given up. */
export const MAX_FAILURES = 3;

/**
 * Attempts after which a job is not started again. More than `MAX_FAILURES`: pictures are decoded in separate processes, so the end of the
 * whole service is more likely caused by a power failure or a release than by a file.
 */
export const MAX_ATTEMPTS = 10;

/** Seconds. */
const LONGEST_WAIT = 600;

/** Seconds to wait after the nth failure, n from 1: 1 s, 4 s, 16 s … up to ten minutes. */
export function backoffSeconds(failures: number): number {
  return Math.min(LONGEST_WAIT, 4 ** (failures - 1));
}

/** A number from 0 to below 1, by which retries spread that would otherwise come together. */
export function randomFraction(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}

/**
 * Seconds to wait after attempt `n` was interrupted because its process died, n from 1: none twice, for releases and power failures, then
 * 2 s, 4 s, 8 s … So work that crashes the service leaves ever more time for everything else, and work that merely happens to run during
 * crashes does not reach `MAX_ATTEMPTS` within minutes.
 */
export function interruptionSeconds(attempt: number): number {
  return attempt <= 2 ? 0 : Math.min(LONGEST_WAIT, 2 ** (attempt - 2));
}

/**
 * Seconds to wait after the nth outage in a row, n from 1: 1 s, 2 s, 4 s … up to ten minutes. So the wait is never much longer than the
 * outage has lasted.
 */
export function outageSeconds(outages: number): number {
  return Math.min(LONGEST_WAIT, 2 ** (outages - 1));
}

/**
 * Consecutive outages over which a job has waited for a day. Counted, not timed: a job in a long queue is not given up before it has been
 * attempted.
 */
export const MAX_OUTAGES = 153;

/** A receiver or source of one customer. */
export interface Lane {
  readonly customerId: Id;
  readonly lane: string;
}

export interface JobClaim {
  /** Seconds by the database's clock. */
  readonly leaseSeconds: number;
  /** The most jobs to claim, all in one turn; default 1. */
  readonly count?: number;
  /** Customers and lanes that are passed over, because enough of their jobs are running. */
  readonly busy?: { readonly customerIds: readonly Id[]; readonly lanes: readonly Lane[] };
  /** Claims deliveries to this endpoint alone, for the program that listens there. */
  readonly only?: Lane;
}

/** The ways in which an attempt ends. Each is false, and changes nothing, when its lease was lost. */
export interface AttemptEnds {
  /** Done. If the same work was added while it ran, it is due again immediately. */
  complete(job: Job<Pool>): Promise<boolean>;
  /** Failed: due again after `seconds`, or never with null (a dead job, retained with its reason). */
  release(job: Job<Pool>, reason: string, seconds: number | null): Promise<boolean>;
  /**
   * Due again after `seconds`; this run does not count as an attempt, but as one more of the job's `outages`: for a job that could not run
   * because a dependency was unavailable. Every other outcome resets those to 0.
   */
  postpone(job: Job<Pool>, reason: string, seconds: number): Promise<boolean>;
}

/** The worker's side: jobs of all customers, in turns, so that one customer's thousands do not delay another's single job. */
export interface JobQueue extends AttemptEnds {
  /**
   * The next due jobs of a pool, leased; their `attempt` is already incremented. None when nothing is due. No two callers hold one job at
   * the same time. A job whose lease has expired is due again. Concurrent callers may get jobs of the same customer in one turn. Webhook
   * endpoints take turns, too. Nothing is delivered to one that is disabled, nor to one where a program listens, unless it is asked for with
   * `only`; nothing is fetched for a customer who is not active.
   */
  claim<P extends Pool>(pool: P, claim: JobClaim): Promise<readonly Job<P>[]>;
  /** Extends the lease. False when it was lost: the run must stop. */
  extend(job: Job<Pool>, leaseSeconds: number): Promise<boolean>;
  /**
   * Releases the jobs of holders that are known to be dead: they are due after `interruptionSeconds`, and no one has to wait until their leases
   * expire; deliveries and fetches, which end no process, never wait longer than that. Called at a worker's start, once it listens. A job whose holder is, or may be, alive is left alone.
   */
  reclaim(): Promise<void>;
  /** Calls `wake` soon after a job of the pool may have become due. Returns the function that stops it. A listening process is known to be alive. */
  listen(wake: (pool: Pool) => void): Promise<() => Promise<void>>;
}

/** The part inside a transaction: what it adds exists, and what it ends is gone, if and only if the change is committed. */
export interface JobRepository extends AttemptEnds {
  /**
   * Adding work that is already waiting changes nothing; work that is running runs once more afterwards. The jobs store the trace context
   * of the request or job whose change added or revived them, which the adapter knows.
   */
  add(...works: readonly Work[]): Promise<void>;
  /** The same with a trace context of its own, for a change that serves several requests. */
  addTraced(traceContext: string | null, ...works: readonly Work[]): Promise<void>;
  /** The same, except that work that waits or runs already begins anew, due immediately; a run that holds it has lost its lease. */
  restart(...works: readonly Work[]): Promise<void>;
  /** Whether the attempt still holds its job, which it then does until the transaction ends. */
  hold(job: Job<Pool>): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Repositories {
    readonly jobs: JobRepository;
  }
}
