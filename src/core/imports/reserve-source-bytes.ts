import { QuotaReservation } from '../customers/quota.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { isFetched, type SourceFetch } from './source-fetch.js';
import { SourceFailure } from './source-reader.js';

export type ReserveUses = { store: Transactional<'importPhotos' | 'customer' | 'usage'>; clock: Clock };

/** Bytes that are reserved at a time for a file whose size nobody has stated. */
const STEP = 8 * 1024 ** 2;

/**
 * Lets a fetched item reserve so many bytes of its customer's quota: nothing is stored that is not reserved. Throws `SourceFailure`
 * (`quota_exceeded`); nothing happens when the item does not wait for the fetch any more.
 */
export function reserveSourceBytes(
  { store, clock }: ReserveUses,
  { customerId, importId, itemId, uploadId }: SourceFetch,
  sizeBytes: number,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    // The customer before the item: the order of all locks.
    const quota = await QuotaReservation.begin(transaction);
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!isFetched(item, { uploadId }) || item.sizeBytes === sizeBytes) return;
    const error = quota.tryReserve({ photos: 0, storageBytes: sizeBytes - (item.sizeBytes ?? 0) });
    if (error !== null) throw new SourceFailure(error, true);
    await transaction.importPhotos.update({ ...item, sizeBytes, updatedAt: clock.now() });
  });
}

/** Passes bytes on once they are reserved. @param reserved What is reserved already. */
export async function* reservedBytes(
  uses: ReserveUses,
  fetched: SourceFetch,
  bytes: AsyncIterable<Uint8Array>,
  reserved: number,
): AsyncGenerator<Uint8Array, void, void> {
  let [received, allowed] = [0, reserved];
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > allowed) {
      allowed = received + STEP;
      await reserveSourceBytes(uses, fetched, allowed);
    }
    yield chunk;
  }
}
