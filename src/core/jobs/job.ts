import type { Id } from '../shared/ids.js';

/** Work that is done later. Handlers may run twice for one job and must then leave what one run leaves. */
export type JobWork =
  /** Look at the bytes of an item that is `processing`. */
  | { readonly kind: 'inspect'; readonly importId: Id; readonly photoId: Id }
  /** Bring what is ready of a finalized import into the library. */
  | { readonly kind: 'publish'; readonly importId: Id }
  /** Give photos that departed tags have left their new versions. */
  | { readonly kind: 'renew' };

export interface Job {
  readonly id: Id;
  readonly customerId: Id;
  readonly work: JobWork;
  /** This run's number, from 1; written before the run begins. */
  readonly attempt: number;
  /** How many of the runs before this one failed by themselves; the others were cut off. */
  readonly failures: number;
  /** How many runs before this one met an outage, without another outcome between them. */
  readonly outages: number;
  /** What the change that brought it was caused by, as a W3C `traceparent`; null where nobody traced that. */
  readonly traceContext: string | null;
  /** Proves that this run holds the job. */
  readonly lease: string;
}

/** One job per customer and work: adding it again while it waits changes nothing. */
export function jobKey(work: JobWork): string {
  if (work.kind === 'renew') return 'renew';
  return work.kind === 'inspect' ? `inspect/${work.importId}/${work.photoId}` : `publish/${work.importId}`;
}

/** Runs that failed by themselves after which a job is given up. */
export const MAX_FAILURES = 3;

/**
 * Runs after which work is not begun any more that never came to an end. More than `MAX_FAILURES`: pictures are decoded in processes of
 * their own, so the end of the whole service is more likely a power cut or a release than the fault of a file.
 */
export const MAX_BEGINNINGS = 10;

/** Seconds. */
const LONGEST_WAIT = 600;

/** Seconds to wait after the nth failure, n from 1: 1 s, 4 s, 16 s … up to ten minutes. */
export function backoffSeconds(failures: number): number {
  return Math.min(LONGEST_WAIT, 4 ** (failures - 1));
}

/**
 * Seconds to wait after run `n` was cut off because its process died, n from 1: none twice, for releases and power cuts, then 2 s,
 * 4 s, 8 s … So work that brings the service down leaves it ever more time for all else, and work that is there by chance when
 * something else does is not begun `MAX_BEGINNINGS` times within minutes.
 */
export function cutOffSeconds(attempt: number): number {
  return attempt <= 2 ? 0 : Math.min(LONGEST_WAIT, 2 ** (attempt - 2));
}

/**
 * Seconds to wait after the nth outage in a row, n from 1: 1 s, 2 s, 4 s … up to ten minutes. So the wait is never much longer than
 * the outage has lasted.
 */
export function outageSeconds(outages: number): number {
  return Math.min(LONGEST_WAIT, 2 ** (outages - 1));
}

/** Outages in a row between which a job has waited for a day. Counted, not timed: what waits in a long queue is not given up unseen. */
export const MAX_OUTAGES = 153;
