import type { CustomerStore } from '../customers/customer-store.js';
import { inProgress } from './claim-key.js';
import type { Claim, KeptAnswer } from './idempotency-store.js';

/**
 * A store whose one transaction also keeps the answer to its own result: after a crash the work and its answer are both
 * there, or neither. A run that has lost its claim is undone (`idempotency_in_progress`): the one that took over answers.
 * For work that has exactly one transaction.
 */
export function answeringStore(
  store: CustomerStore,
  claim: Claim,
  answerTo: (result: unknown) => KeptAnswer,
): CustomerStore {
  return {
    read: (customerId, work) => store.read(customerId, work),
    within: (customerId, work) =>
      store.within(customerId, async (inside) => {
        const result = await work(inside);
        if (!(await inside.answers.keep(claim, answerTo(result)))) throw inProgress();
        return result;
      }),
  };
}
