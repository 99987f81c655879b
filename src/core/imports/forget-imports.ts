import type { CustomerDirectory, OldEnough } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { oldEnough } from './import.js';

const BATCH = 100;
/** Per transaction, so that an import with ten thousand items does not block others for long. */
const ITEMS = 500;

type ForgetUses = { store: Transactional<'imports'>; clock: Clock; customers: CustomerDirectory };

/**
 * For all customers, permanently deletes the items of imports that ended 90 days ago, whose counts are kept, and imports that ended a year
 * ago. May run in several processes at once and be stopped at any time: the next run continues.
 */
export function forgetImports(uses: ForgetUses, stopping?: AbortSignal): Promise<void> {
  const old = oldEnough(uses.clock.now());
  return forEachCustomer(
    (window) => uses.customers.withImportsToForget(old, window),
    (customerId) => forgetImportsOf(uses, customerId, old, stopping),
    stopping,
  );
}

async function forgetImportsOf({ store }: ForgetUses, customerId: Id, old: OldEnough, stopping?: AbortSignal) {
  for (;;) {
    const ids = await store.query(customerId, (reader) => reader.imports.toForget(old, BATCH));
    for (const id of ids) {
      do {
        if (stopping?.aborted) return;
      } while (!(await forgetSome({ store }, customerId, id, old)));
    }
    // None of these is found again.
    if (ids.length < BATCH) return;
  }
}

/** True when nothing of this import is left to do. Another process may have done it between the query and the lock. */
function forgetSome(
  { store }: { store: Transactional<'imports'> },
  customerId: Id,
  id: Id,
  old: OldEnough,
): Promise<boolean> {
  return store.transaction(customerId, async (transaction) => {
    const ended = (await transaction.imports.lock(id))?.completedAt;
    if (!ended) return true;
    if (!(await transaction.imports.forgetItems(id, ITEMS))) return false;
    if (ended.getTime() <= old.imports.getTime()) await transaction.imports.forget(id);
    return true;
  });
}
