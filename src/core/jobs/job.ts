import type { Id } from '../shared/ids.js';

/** Work that runs later. A handler may run twice for one job, with the same effect as one run. */
export type JobWork =
  /** Inspect the bytes of a `processing` item. */
  | { readonly kind: 'inspect'; readonly importId: Id; readonly photoId: Id }
  /** Publish the ready items of a finalized import. */
  | { readonly kind: 'publish'; readonly importId: Id }
  /** Give the photos of deleted tags their new versions. */
  | { readonly kind: 'renew' };

export interface Job {
  readonly id: Id;
  readonly customerId: Id;
  readonly work: JobWork;
  /** This run's number, from 1; written before the run begins. */
  readonly attempt: number;
  /** How many of the earlier runs failed; the others were cut off. */
  readonly failures: number;
  /** How many consecutive runs before this one ended in an outage. */
  readonly outages: number;
  /** The trace context of the change that added it, as a W3C `traceparent`; null when there was none. */
  readonly traceContext: string | null;
  /** Proves that this run holds the job. */
  readonly lease: string;
}

/** One job per customer and work: adding it again while it waits changes nothing. */
export function jobKey(work: JobWork): string {
  if (work.kind === 'renew') return 'renew';
  return work.kind === 'inspect' ? `inspect/${work.importId}/${work.photoId}` : `publish/${work.importId}`;
}

/** Failed runs after which a job is given up. */
export const MAX_FAILURES = 3;

/**
 * Unfinished runs after which work is not started again. More than `MAX_FAILURES`: pictures are decoded in separate processes, so the end
 * of the whole service is more likely caused by a power failure or a release than by a file.
 */
export const MAX_ATTEMPTS = 10;

/** Seconds. */
const LONGEST_WAIT = 600;

/** Seconds to wait after the nth failure, n from 1: 1 s, 4 s, 16 s … up to ten minutes. */
export function backoffSeconds(failures: number): number {
  return Math.min(LONGEST_WAIT, 4 ** (failures - 1));
}

/**
 * Seconds to wait after run `n` was cut off because its process died, n from 1: none twice, for releases and power failures, then 2 s, 4 s,
 * 8 s … So work that crashes the service leaves ever more time for everything else, and work that merely happens to run during crashes does
 * not reach `MAX_BEGINNINGS` within minutes.
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
 * tried.
 */
export const MAX_OUTAGES = 153;
