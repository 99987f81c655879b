import type { Clock } from '../shared/clock.js';
import type { ItemError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { failItem } from './fail-item.js';
import type { ImportBatchers } from './import-batchers.js';
import { isFetched, type LeasedFetch } from './source-fetch.js';

export type FailUses = {
  store: Transactional<'importPhotos' | 'sourceFetches'>;
  importBatchers: ImportBatchers;
  clock: Clock;
};

/** Gives up an item whose source cannot be fetched. An import that waited only for it is published. */
export async function failFetch(uses: FailUses, leased: LeasedFetch, error: ItemError): Promise<void> {
  const { customerId, importId, itemId, declaredBytes } = leased;
  await uses.store.transaction(customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!(await transaction.sourceFetches.delete(leased)) || !isFetched(item, leased)) return;
    // What was reserved for it is worth nothing any more.
    await failItem(transaction, { ...item, sizeBytes: declaredBytes }, error, uses.clock.now());
  });
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}
