import type { Clock } from '../../shared/clock.js';
import { DomainError, type ItemError, isOutage } from '../../shared/errors.js';
import { randomFraction } from '../../shared/random.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import type { ImportBatchers } from '../batchers.js';
import { failItem, unprocessable } from '../import-photo.js';
import { isFetched, type LeasedFetch, MAX_TRIES, retrySeconds } from './source-fetch.js';
import { SourceFailure } from './source-reader.js';

export type RecordUses = FailUses;

/** `received`: the item has its bytes, or needs none any more. */
export type FetchOutcome = 'received' | 'failed' | 'retried' | 'postponed' | 'stopped';

/** Seconds to wait after trouble on our side. */
const POSTPONED_SECONDS = 30;

/** Records how a try has ended: null when it was successful. If its lease was lost, another try decides, and nothing is recorded. */
export async function recordFetch(
  uses: RecordUses,
  leased: LeasedFetch,
  end: { readonly error: unknown } | 'stopped' | null,
): Promise<FetchOutcome> {
  if (end === null) return forget(uses, leased);
  if (end === 'stopped') return release(uses, leased, 'stopped', ({ jobs }) => jobs.postpone(leased.job, 'stopped', 0));
  const { error } = end;
  if (isSettled(error)) return forget(uses, leased);
  if (isOurFault(error)) {
    return release(uses, leased, 'postponed', ({ jobs }) => jobs.postpone(leased.job, 'postponed', POSTPONED_SECONDS));
  }
  const failure = failureOf(leased, error);
  const failures = leased.job.failures + 1;
  if (failure.isFinal || failures >= MAX_TRIES) {
    await failFetch(uses, leased, failure.error);
    return 'failed';
  }
  const seconds = retrySeconds(failures, failure.retryAfterSeconds, randomFraction());
  // The code only: a message might contain the URL.
  return release(uses, leased, 'retried', ({ jobs }) => jobs.release(leased.job, failure.error.code, seconds));
}

async function forget({ store }: RecordUses, leased: LeasedFetch): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, (transaction) => drop(transaction, leased));
  return 'received';
}

/** False, with nothing changed, when the lease was lost. */
async function drop(
  { sourceFetches, jobs }: Transaction<'sourceFetches' | 'jobs'>,
  { job, itemId }: LeasedFetch,
): Promise<boolean> {
  await sourceFetches.lock(itemId);
  const isHeld = await jobs.complete(job);
  if (isHeld) await sourceFetches.delete(itemId);
  return isHeld;
}

async function release(
  { store }: RecordUses,
  leased: LeasedFetch,
  outcome: FetchOutcome,
  end: (transaction: Transaction<'jobs'>) => Promise<boolean>,
): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, end);
  return outcome;
}

/** The item was cancelled, or got other bytes. */
function isSettled(error: unknown): boolean {
  return error instanceof DomainError && ['import_photo_final', 'upload_forbidden'].includes(error.code);
}

/** Whether the reason is on our side and passes: such a try is not counted. */
function isOurFault(error: unknown): boolean {
  const passing = ['storage_full', 'rate_limited', 'upload_in_progress'];
  return isOutage(error) || (error instanceof DomainError && passing.includes(error.code));
}

/** Returns the failure to record for a try, which says whether another can succeed. */
function failureOf({ declaredBytes }: LeasedFetch, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof DomainError)) return new SourceFailure(unprocessable, false);
  if (error.code === 'checksum_mismatch') return new SourceFailure(otherHash, true);
  if (declaredBytes !== null) return new SourceFailure({ code: 'size_mismatch', message: otherSize }, true);
  return new SourceFailure({ code: 'source_unreachable', message: otherLength }, false);
}

const otherHash: ItemError = {
  code: 'checksum_mismatch',
  message: 'The SHA-256 of the fetched bytes is not the declared one.',
};
const otherSize = 'The fetched file does not have the declared size.';
const otherLength = 'The source did not send as many bytes as it had announced.';

type FailUses = {
  store: Transactional<'importPhotos' | 'sourceFetches' | 'jobs'>;
  importBatchers: ImportBatchers;
  clock: Clock;
};

/** Gives up an item whose source cannot be fetched. An import that waited only for it is published. */
async function failFetch(uses: FailUses, leased: LeasedFetch, error: ItemError): Promise<void> {
  const { customerId, importId, itemId, declaredBytes } = leased;
  await uses.store.transaction(customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!(await drop(transaction, leased)) || !isFetched(item, leased)) return;
    // What was reserved for it is worth nothing any more.
    await failItem(transaction, { ...item, sizeBytes: declaredBytes }, error, uses.clock.now());
  });
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}
