import type { Repositories, Transactional } from '../shared/transactional.js';
import { inProgress } from './claim-key.js';
import type { Claim, StoredResponse } from './idempotency-store.js';

/**
 * A store whose one transaction also stores the response: after a crash, either both the work and its response exist, or neither. A run
 * that has lost its claim is rolled back (`idempotency_in_progress`): the one that took over answers. For work that has exactly one
 * transaction.
 */
export function storeWithResponse<Names extends keyof Repositories>(
  store: Transactional<Names | 'responses'>,
  claim: Claim,
  answerTo: (result: unknown) => StoredResponse,
): Transactional<Names | 'responses'> {
  return {
    query: (customerId, work) => store.query(customerId, work),
    transaction: (customerId, work) =>
      store.transaction(customerId, async (transaction) => {
        const result = await work(transaction);
        if (!(await transaction.responses.store(claim, answerTo(result)))) throw inProgress();
        return result;
      }),
  };
}
