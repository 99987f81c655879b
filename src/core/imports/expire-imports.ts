import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Clock } from '../shared/clock.js';
import { after, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { expire, IDLE_DAYS } from './import.js';

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

/**
 * Arriving bytes change their item and do not wait for the import, so that thousands can arrive at once. Here they extend the expiry of the
 * import.
 */
function expireUnlessUsed(
  { store }: { store: Transactional<'imports' | 'importPhotos' | 'outbox'> },
  customerId: Id,
  id: Id,
  at: Date,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.lock(id);
    if (subject?.status !== 'open' || subject.expiresAt === null || subject.expiresAt.getTime() > at.getTime()) return;
    const used = await transaction.importPhotos.lastChange(id);
    const keptUntil = used === null ? subject.expiresAt : after(used, IDLE_DAYS * DAY);
    if (keptUntil.getTime() > at.getTime()) return transaction.imports.update({ ...subject, expiresAt: keptUntil });
    await transaction.importPhotos.cancelAll(id, at);
    await transaction.imports.update(expire(subject, at));
    await transaction.outbox.add('import.expired', [id], at);
  });
}
