import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { IDLE_DAYS, touch } from './import.js';
import { receiveStoredUploads } from './receive-stored-uploads.js';

type PollUses = {
  store: Transactional<'imports' | 'importPhotos' | 'jobs'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

const PAGE = 100;

/**
 * Looks for bytes that clients sent directly to the store, in the open imports of all customers that were used within so many milliseconds.
 * Bytes found count as use. May run in several processes at once, and be stopped at any time.
 */
export function pollDirectUploads(uses: PollUses, usedWithin: number, stopping?: AbortSignal): Promise<void> {
  // Every use of an import sets its expiry to a week later: this shows when it was last used.
  const endingAfter = after(uses.clock.now(), IDLE_DAYS * DAY - usedWithin);
  return forEachCustomer(
    (window) => uses.customers.withImportsEndingAfter(endingAfter, window),
    (customerId) => pollDirectUploadsOf(uses, customerId, endingAfter, stopping),
    stopping,
  );
}

async function pollDirectUploadsOf(uses: PollUses, customerId: Id, endingAfter: Date, stopping?: AbortSignal) {
  for (let last: Id | null = null; ; ) {
    const window = { after: last, limit: PAGE };
    const ids: readonly Id[] = await uses.store.query(customerId, (reader) =>
      reader.imports.endingAfter(endingAfter, window),
    );
    for (const id of ids) {
      if (stopping?.aborted) return;
      if ((await receiveStoredUploads(uses, customerId, id)) > 0) await extendExpiry(uses, customerId, id);
    }
    last = ids.at(-1) ?? null;
    if (ids.length < PAGE) return;
  }
}

function extendExpiry({ store, clock }: PollUses, customerId: Id, id: Id): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.lock(id);
    if (subject?.status === 'open') await transaction.imports.update(touch(subject, clock.now()));
  });
}
