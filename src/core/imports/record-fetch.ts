import type { Clock } from '../shared/clock.js';
import type { ItemError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { failItem } from './fail-item.js';
import { failureOf, isSettled, isTroubleOfOurs } from './fetch-failure.js';
import type { ImportBatchers } from './import-batchers.js';
import { isFetched, type LeasedFetch, MAX_TRIES, retrySeconds } from './source-fetch.js';

export type RecordUses = {
  store: Transactional<'importPhotos' | 'sourceFetches'>;
  importBatchers: ImportBatchers;
  clock: Clock;
};

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
  if (end === 'stopped') return release(uses, leased, 'stopped', leased.failures, 0);
  const { error } = end;
  if (isSettled(error)) return forget(uses, leased);
  if (isTroubleOfOurs(error)) return release(uses, leased, 'postponed', leased.failures, POSTPONED_SECONDS);
  const failure = failureOf(leased, error);
  const failures = leased.failures + 1;
  if (failure.isFinal || failures >= MAX_TRIES) return fail(uses, leased, failure.error);
  const seconds = retrySeconds(failures, failure.retryAfterSeconds, Math.random());
  return release(uses, leased, 'retried', failures, seconds);
}

async function forget({ store }: RecordUses, leased: LeasedFetch): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, ({ sourceFetches }) => sourceFetches.delete(leased));
  return 'received';
}

async function release(
  { store }: RecordUses,
  leased: LeasedFetch,
  outcome: FetchOutcome,
  failures: number,
  seconds: number,
): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, ({ sourceFetches }) => sourceFetches.release(leased, failures, seconds));
  return outcome;
}

async function fail(uses: RecordUses, leased: LeasedFetch, error: ItemError): Promise<FetchOutcome> {
  const { customerId, importId, itemId, declaredBytes } = leased;
  await uses.store.transaction(customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!(await transaction.sourceFetches.delete(leased)) || !isFetched(item, leased)) return;
    // What was reserved for it is worth nothing any more.
    await failItem(transaction, { ...item, sizeBytes: declaredBytes }, error, uses.clock.now());
  });
  await uses.importBatchers.publishIfCommitted(customerId, importId);
  return 'failed';
}
