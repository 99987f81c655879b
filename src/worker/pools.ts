import { giveUpBulkEdit, runBulkEdit } from '../core/bulk-edits/run-bulk-edit.js';
import { isFetchAwaited } from '../core/imports/fetch/fetch.js';
import { giveUpImportPhoto, inspectImportPhoto } from '../core/imports/inspect.js';
import { publishImport } from '../core/imports/publish.js';
import {
  backoffSeconds,
  type Job,
  type JobQueue,
  MAX_ATTEMPTS,
  MAX_FAILURES,
  MAX_OUTAGES,
  outageSeconds,
} from '../core/jobs/job.js';
import { type MailOutcome, sendMail } from '../core/mail/send-mail.js';
import { ReaderFailure } from '../core/media/media-reader.js';
import type { Uses } from '../core/ports.js';
import { isOutage } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import { bumpPhotoVersions } from '../core/tags/delete-tag.js';
import { DELIVERY_LEASE_SECONDS } from '../core/webhooks/delivery.js';
import { pause, retryMilliseconds, type Slots, type WorkerPool } from './worker.js';

const MAX_REASON_LENGTH = 500;

interface PoolOptions {
  /** Called for every failure on our side; work continues. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The pool of the jobs that are not about other servers. A run that throws is repeated after `backoffSeconds`, at most MAX_FAILURES times in
 * all, then its job is dead; one that met an outage (`isOutage`) is not counted and is due again after `outageSeconds`: the job decides how
 * long that may continue. Runs are not interrupted when the service stops.
 * @param handle The signal fires when the lease is lost: the run must stop, and anything that it still writes must be guarded by state.
 */
export function jobPool(
  { jobs }: Uses<'jobs'>,
  handle: (job: Job, lost: AbortSignal) => Promise<void>,
  {
    concurrency,
    leaseSeconds,
    onError,
    onQueueError = () => undefined,
  }: {
    readonly concurrency: number;
    readonly leaseSeconds: number;
    /** Called for every run that failed. Must not throw. */
    readonly onError?: (job: Job, error: unknown) => void;
    /** Called whenever the queue itself fails. Must not throw. */
    readonly onQueueError?: (error: unknown) => void;
  },
): WorkerPool<'jobs'> {
  return {
    pool: 'jobs',
    slots: { all: concurrency },
    leaseSeconds,
    onError: onQueueError,
    async attempt(job, { lost }) {
      let failure: { readonly error: unknown } | null = null;
      try {
        await handle(job, lost);
      } catch (error) {
        onError?.(job, error);
        failure = { error };
      }
      await report(() => endJob(jobs, job, failure), lost, onQueueError);
      if (failure === null) return 'done';
      // The server for mail says nothing about what other jobs need.
      return isOutage(failure.error) && job.work.kind !== 'mail' ? 'outage' : 'failed';
    },
  };
}

function endJob(jobs: JobQueue, job: Job, failure: { readonly error: unknown } | null): Promise<boolean> {
  if (failure === null) return jobs.complete(job);
  const reason = String(failure.error).slice(0, MAX_REASON_LENGTH);
  if (isOutage(failure.error)) return jobs.postpone(job, reason, spread(outageSeconds(job.outages + 1)));
  const failures = job.failures + 1;
  return jobs.release(job, reason, failures >= MAX_FAILURES ? null : spread(backoffSeconds(failures)));
}

/** Up to a quarter more, so that jobs that failed together are not retried together. */
function spread(seconds: number): number {
  return Math.round(seconds * (1 + Math.random() / 4));
}

/** Reports the end of an attempt, repeatedly while the queue is unavailable, until the lease is lost: the job is then due again, and runs twice. */
async function report(
  end: () => Promise<unknown>,
  lost: AbortSignal,
  onQueueError: (error: unknown) => void,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await end();
      return;
    } catch (error) {
      onQueueError(error);
      if (lost.aborted) return;
      await pause(retryMilliseconds(tries), lost);
    }
  }
}

/** The facts about a mail that may be made known. */
export interface EndedMail {
  readonly customerId: Id;
  readonly userId: Id;
  readonly template: string;
  readonly outcome: MailOutcome;
}

/**
 * Runs a job. If it throws, it is retried later. A file is given up, and the others continue, when it fails for the last time; when its
 * runs ended together with the whole service too often; and when its bytes, or another dependency, were unavailable for a day. Publishing
 * needs only the database, and is never given up because that is unavailable.
 * @param onMail Called with how a mail ended. Must not throw.
 */
export async function runJob(
  uses: Uses<
    | 'store'
    | 'importSteps'
    | 'blobs'
    | 'verifiedBlobs'
    | 'media'
    | 'clock'
    | 'limits'
    | 'gazetteer'
    | 'mailer'
    | 'secrets'
  >,
  job: Job,
  onMail: (ended: EndedMail) => void = () => undefined,
): Promise<void> {
  const { work, customerId, attempt, failures } = job;
  const isLast = failures + 1 >= MAX_FAILURES;
  if (work.kind === 'renew') return bumpPhotoVersions(uses, customerId);
  if (work.kind === 'publish') return publishImport(uses, customerId, work.importId, isLast);
  if (work.kind === 'bulk_edit') {
    return runBulkEdit(uses, customerId, work.bulkEditId).catch(async (error: unknown) => {
      // As long as only the database is unavailable, it is not given up.
      if (!isOutage(error) && isLast) await giveUpBulkEdit(uses, customerId, work.bulkEditId);
      throw error;
    });
  }
  if (work.kind === 'mail') {
    const { userId, template } = work;
    return onMail({ customerId, userId, template, outcome: await sendMail(uses, work, job) });
  }
  const giveUp = (error: unknown) => giveUpImportPhoto(uses, customerId, work.importId, work.photoId, error);
  if (attempt > MAX_ATTEMPTS)
    return giveUp(new ReaderFailure('The service stopped every time it inspected this file.'));
  try {
    // At its last attempt, it runs alone, so that nothing else can be the cause of a crash.
    await inspectImportPhoto(uses, customerId, work.importId, work.photoId, { alone: attempt >= MAX_FAILURES });
  } catch (error) {
    if (isOutage(error) ? job.outages < MAX_OUTAGES : !isLast) throw error;
    await giveUp(error);
  }
}

/** Concurrent requests of one process; those to all endpoints of one customer, and those to one endpoint. */
export const DELIVERY_SLOTS = { all: 32, customer: 16, lane: 4 } as const satisfies Slots;

/** The pool that sends webhooks. A slow receiver occupies only its own few slots. @param handle Makes one attempt. */
export function deliveryPool(
  handle: (job: Job<'deliveries'>) => Promise<void>,
  { onError = () => undefined }: PoolOptions = {},
): WorkerPool<'deliveries'> {
  return {
    pool: 'deliveries',
    slots: DELIVERY_SLOTS,
    leaseSeconds: DELIVERY_LEASE_SECONDS,
    onError,
    async attempt(job) {
      await handle(job);
      return 'done';
    },
  };
}

/** Concurrent fetches of one process; those of one customer, and those of one customer from one host. */
export const FETCH_SLOTS = { all: 24, customer: 8, lane: 4 } as const satisfies Slots;

/** A killed process's fetches are due again after this. */
const FETCH_LEASE_SECONDS = 30;

/**
 * The pool that fetches files from other servers. A slow source occupies only its own few slots.
 * @param handle Makes one try. The signal fires when it must end: the service stops, or the fetch is no longer this process's.
 */
export function fetchPool(
  uses: Uses<'store'>,
  handle: (job: Job<'fetches'>, stopping: AbortSignal) => Promise<unknown>,
  {
    leaseSeconds = FETCH_LEASE_SECONDS,
    onError = () => undefined,
  }: PoolOptions & { readonly leaseSeconds?: number } = {},
): WorkerPool<'fetches'> {
  return {
    pool: 'fetches',
    slots: FETCH_SLOTS,
    leaseSeconds,
    onError,
    isWanted: (job) => isFetchAwaited(uses, job),
    async attempt(job, { lost, stopping }) {
      await handle(job, AbortSignal.any([stopping, lost]));
      return 'done';
    },
  };
}
