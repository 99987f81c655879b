import type { CustomerStore } from '../customers/customer-store.js';
import { inProgress } from './claim-key.js';
import type { Claim, StoredResponse } from './idempotency-store.js';

/**
 * A store whose one transaction also keeps the answer to its own result: after a crash the work and its answer are both
 * there, or neither. A run that has lost its claim is undone (`idempotency_in_progress`): the one that took over answers.
 * For work that has exactly one transaction.
 */
export function storeWithResponse(
  store: CustomerStore,
  claim: Claim,
  answerTo: (result: unknown) => StoredResponse,
): CustomerStore {
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
