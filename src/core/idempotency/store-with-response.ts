import type { Repositories, Transactional } from '../shared/transactional.js';
import { inProgress } from './claim-key.js';
import type { Claim, StoredResponse, StoreResponse } from './idempotency-store.js';

/**
 * What stores the response within a transaction: after a crash, either both the work and its response exist, or neither. A run that has lost
 * its claim is rolled back (`idempotency_in_progress`): the one that took over answers.
 */
export function responseOf<Result>(claim: Claim, answerTo: (result: Result) => StoredResponse): StoreResponse<Result> {
  return async (result, responses) => {
    if (!(await responses.store(claim, answerTo(result)))) throw inProgress();
  };
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
