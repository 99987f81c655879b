import { randomUUID } from 'node:crypto';
import { after, type Clock, DAY, HOUR } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Repositories, Transactional } from '../shared/transactional.js';
import type { Claim, IdempotencyKey, IdempotencyStore, StoredResponse, StoreResponse } from './idempotency-store.js';

/** Period in which a request can be repeated under its key. */
export const RETENTION_MS = DAY;
/** The longest time for which a claim outlives its process. A living process renews the lease. */
export const CLAIM_LEASE_SECONDS = 25;
/** Every claim began later than this, even if the clocks of two processes differ: a run is given up after minutes. */
const CLAIMED_WITHIN = HOUR;

/**
 * The right to execute the request under the key, or the response that an equal request received. Errors: `idempotency_in_progress`,
 * `idempotency_key_reused`.
 */
export async function claimKey(
  { idempotency, clock }: { idempotency: IdempotencyStore; clock: Clock },
  { customerId, key }: IdempotencyKey,
  fingerprint: string,
): Promise<{ readonly claim: Claim } | { readonly answer: StoredResponse }> {
  const at = clock.now();
  const claim: Claim = { customerId, key, token: randomUUID() };
  const expiredBefore = after(at, -RETENTION_MS);
  const leaseSeconds = CLAIM_LEASE_SECONDS;
  const attempted = await idempotency.claim({ ...claim, fingerprint, at, leaseSeconds, expiredBefore });
  if (attempted.outcome === 'claimed') return { claim };
  if (attempted.outcome === 'answered') return { answer: attempted.answer };
  throw attempted.outcome === 'running' ? inProgress() : keyReused();
}

function inProgress(): DomainError {
  const message =
    'A request with this Idempotency-Key is still being processed. Repeat it in a moment to get its response.';
  return new DomainError('idempotency_in_progress', message);
}

/** The key belongs to another request. */
export function keyReused(): DomainError {
  const message = 'This Idempotency-Key was used for a different request. Use a new key for each new request.';
  return new DomainError('idempotency_key_reused', message);
}

/** Releases the keys of processes that have died, for equal requests. Run when a process starts, before it accepts requests. */
export function reclaimKeys({ idempotency, clock }: { idempotency: IdempotencyStore; clock: Clock }): Promise<void> {
  return idempotency.reclaim(after(clock.now(), -CLAIMED_WITHIN));
}

/**
 * Returns the function that stores the response within a transaction: after a crash, either both the work and its response exist, or neither. A run
 * that has lost its claim is rolled back (`idempotency_in_progress`): the one that took over answers.
 */
export function responseOf<Result>(claim: Claim, answerTo: (result: Result) => StoredResponse): StoreResponse<Result> {
  return async (result, responses) => {
    if (!(await responses.store(claim, answerTo(result)))) throw inProgress();
  };
}

/** Stores the response of a request that has no transaction of its own. A claim that was lost keeps the response of the run that took over. */
export async function storeAnswer(
  { store }: { store: Transactional<'responses'> },
  claim: Claim,
  answer: StoredResponse,
): Promise<void> {
  await store.transaction(claim.customerId, ({ responses }) => responses.store(claim, answer));
}

/** A store whose one transaction also stores the response. For work that has exactly one transaction. */
export function storeWithResponse<Names extends keyof Repositories>(
  store: Transactional<Names | 'responses'>,
  storeResponse: StoreResponse<unknown>,
): Transactional<Names | 'responses'> {
  return {
    query: (customerId, work) => store.query(customerId, work),
    transaction: (customerId, work) =>
      store.transaction(customerId, async (transaction) => {
        const result = await work(transaction);
        await storeResponse(result, transaction.responses);
        return result;
      }),
  };
}

const SWEPT_AT_ONCE = 5_000;

/** Removes records older than 24 hours, and returns how many. Run periodically; nothing depends on when. */
export async function sweepIdempotencyKeys({
  idempotency,
  clock,
}: {
  idempotency: IdempotencyStore;
  clock: Clock;
}): Promise<number> {
  const before = after(clock.now(), -RETENTION_MS);
  for (let swept = 0; ; ) {
    const count = await idempotency.sweep(before, SWEPT_AT_ONCE);
    swept += count;
    if (count < SWEPT_AT_ONCE) return swept;
  }
}
