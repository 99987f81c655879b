import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { expireUnlessUsed } from './expire-import.js';

const BATCH = 100;

type ExpireUses = {
  store: Transactional<'imports' | 'importPhotos' | 'outbox'>;
  clock: Clock;
  customers: CustomerDirectory;
};

/**
 * Ends open imports of all customers that have not been used for a week; none of their items enters the library. May run in several
 * processes at once and be stopped at any time: the next run continues.
 */
export function expireImports(uses: ExpireUses, stopping?: AbortSignal): Promise<void> {
  const at = uses.clock.now();
  return forEachCustomer(
    (window) => uses.customers.withIdleImports(at, window),
    (customerId) => expireImportsOf(uses, customerId, at, stopping),
    stopping,
  );
}

async function expireImportsOf({ store }: ExpireUses, customerId: Id, at: Date, stopping?: AbortSignal) {
  for (;;) {
    const ids = await store.query(customerId, (reader) => reader.imports.expired(at, BATCH));
    for (const id of ids) {
      if (stopping?.aborted) return;
      await expireUnlessUsed({ store }, customerId, id, at);
    }
    // None of these is found again: it has ended, or its expiry was extended.
    if (ids.length < BATCH) return;
  }
}
