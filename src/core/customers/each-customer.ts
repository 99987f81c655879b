import { isOutage } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { CustomerWindow } from './customer-directory.js';

const PAGE = 100;

/**
 * Runs a task for one customer after another, as `find` returns them, until the signal aborts. A failure for one customer stops the others
 * only if it is an outage; it is thrown at the end.
 */
export async function forEachCustomer(
  find: (window: CustomerWindow) => Promise<readonly Id[]>,
  work: (customerId: Id) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (let after: Id | null = null; ; ) {
    const page = await find({ after, limit: PAGE });
    for (const customerId of page) {
      if (stopping?.aborted) return;
      try {
        await work(customerId);
      } catch (error) {
        if (isOutage(error)) throw error;
        failures.push(error);
      }
    }
    after = page.at(-1) ?? null;
    if (page.length < PAGE) break;
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `Failed for ${failures.length} customers.`);
}
