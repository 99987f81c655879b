import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type Gazetteer, placeAt } from './gazetteer.js';

/** In one transaction: others who want one of these photos wait for it. */
const BATCH = 50;

type UpdateUses = { store: Transactional<'photos'>; customers: CustomerDirectory; gazetteer: Gazetteer };

/**
 * Looks up the places of photos that an earlier version stored, and has them found by all that is searched today. Their versions stay: nobody
 * changed them. May run in several processes at once and be stopped at any time: the next run continues.
 */
export function updateOutdatedPhotos(uses: UpdateUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    async (window) => (await uses.customers.page(window)).map(({ id }) => id),
    async (customerId) => {
      while (!stopping?.aborted && (await updateBatch(uses, customerId)));
    },
    stopping,
  );
}

/** Whether there may be more. */
async function updateBatch({ store, gazetteer }: UpdateUses, customerId: Id): Promise<boolean> {
  const outdated = await store.query(customerId, ({ photos }) => photos.outdated(BATCH));
  if (outdated.length === 0) return false;
  await store.transaction(customerId, async ({ photos }) => {
    const locked = await photos.lock(outdated.map(({ id }) => id));
    for (const photo of locked) await photos.update({ ...photo, place: await placeAt(gazetteer, photo.location) });
    await photos.markCurrent(locked.map(({ id }) => id));
  });
  return true;
}
