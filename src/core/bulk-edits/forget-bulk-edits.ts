import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import { after, type Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { BULK_EDIT_MS } from './bulk-edit.js';

/** Changes per transaction. */
const BATCH = 5000;

/**
 * For all customers, permanently deletes edits that can no longer be undone, in progress or not: within a week, every one has ended. May
 * run in several processes at once and be stopped at any time: the next run continues.
 */
export function forgetBulkEdits(
  { store, clock, customers }: { store: Transactional<'bulkEdits'>; clock: Clock; customers: CustomerDirectory },
  stopping?: AbortSignal,
): Promise<void> {
  const before = after(clock.now(), -BULK_EDIT_MS);
  return forEachCustomer(
    (window) => customers.withBulkEditsBefore(before, window),
    async (customerId) => {
      while (!stopping?.aborted) {
        if (await store.transaction(customerId, ({ bulkEdits }) => bulkEdits.forget(before, BATCH))) return;
      }
    },
    stopping,
  );
}
