import { type FailUses, failFetch } from './fail-fetch.js';
import { failureOf, isOurFault, isSettled } from './fetch-failure.js';
import { type LeasedFetch, MAX_TRIES, retrySeconds } from './source-fetch.js';

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
  if (end === 'stopped') return release(uses, leased, 'stopped', leased.failures, 0);
  const { error } = end;
  if (isSettled(error)) return forget(uses, leased);
  if (isOurFault(error)) return release(uses, leased, 'postponed', leased.failures, POSTPONED_SECONDS);
  const failure = failureOf(leased, error);
  const failures = leased.failures + 1;
  if (failure.isFinal || failures >= MAX_TRIES) {
    await failFetch(uses, leased, failure.error);
    return 'failed';
  }
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
