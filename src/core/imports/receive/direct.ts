import { readBlobKey, type StagingName, stagingKey, stagingPrefix } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import { type CustomerDirectory, forEachCustomer } from '../../customers/customer-directory.js';
import { after, type Clock, DAY } from '../../shared/clock.js';
import type { Id } from '../../shared/ids.js';
import { everyRow } from '../../shared/pagination.js';
import type { Transactional } from '../../shared/transactional.js';
import { IDLE_DAYS, type Import, touch } from '../import.js';
import { type ImportPhoto, saveAndRequestInspection, transition } from '../import-photo.js';

type ReceiveUses = { store: Transactional<'importPhotos' | 'jobs'>; blobs: BlobStore; clock: Clock };

/** Items that are received in one transaction, and imports that are read at a time. */
const BATCH = 100;

/**
 * Receives bytes in staging for items of an import that are waiting for exactly these, even though they were not reported: a client sent them
 * directly to the store, or the process that stored them died. Resolves with how many. Errors: `service_unavailable`, also from the store.
 */
export async function receiveStoredUploads(uses: ReceiveUses, customerId: Id, importId: Id): Promise<number> {
  const waiting = await uses.store.query(customerId, (reader) =>
    reader.importPhotos.countIn(importId, ['awaiting_upload']),
  );
  if (waiting === 0) return 0;
  let received = 0;
  let batch: StagingName[] = [];
  for await (const { key } of uses.blobs.list(stagingPrefix(customerId, importId))) {
    const name = readBlobKey(key);
    if (name?.kind === 'staging') batch.push(name);
    if (batch.length < BATCH) continue;
    received += await receiveBatch(uses, customerId, importId, batch);
    batch = [];
  }
  return received + (await receiveBatch(uses, customerId, importId, batch));
}

async function receiveBatch(
  { store, clock }: ReceiveUses,
  customerId: Id,
  importId: Id,
  staged: readonly StagingName[],
): Promise<number> {
  const keys = new Set(staged.map((name) => stagingKey({ ...name, id: name.itemId })));
  const isHere = (item: ImportPhoto) => item.status === 'awaiting_upload' && keys.has(stagingKey(item));
  const ids = [...new Set(staged.map(({ itemId }) => itemId))];
  const named = await store.query(customerId, (reader) => reader.importPhotos.getMany(importId, ids));
  const arrived = named.filter(isHere);
  if (arrived.length === 0) return 0;
  return store.transaction(customerId, async (transaction) => {
    let received = 0;
    // By id ascending: the order of all locks.
    for (const { id } of arrived) {
      const item = await transaction.importPhotos.lock(importId, id);
      if (item === null || !isHere(item)) continue;
      await saveAndRequestInspection(transaction, transition(item, 'processing', clock.now()));
      received += 1;
    }
    return received;
  });
}

type PollUses = {
  store: Transactional<'imports' | 'importPhotos' | 'jobs'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

/**
 * Looks for bytes that clients sent directly to the store, in the open imports of all customers that were used within so many milliseconds.
 * Bytes found count as use. May run in several processes at once, and be stopped at any time.
 */
export function pollDirectUploads(uses: PollUses, usedWithin: number, stopping?: AbortSignal): Promise<void> {
  // Every use of an import sets its expiry to a week later: this shows when it was last used.
  const endingAfter = after(uses.clock.now(), IDLE_DAYS * DAY - usedWithin);
  return forEachCustomer(
    (window) => uses.customers.owning<Import>('imports', window, { status: 'open', expiresAt: { after: endingAfter } }),
    async (customerId) => {
      const read = (last: Id | null) =>
        uses.store.query(customerId, ({ imports }) => imports.endingAfter(endingAfter, { after: last, limit: BATCH }));
      for await (const id of everyRow(BATCH, read, stopping)) {
        if ((await receiveStoredUploads(uses, customerId, id)) > 0) await extendExpiry(uses, customerId, id);
      }
    },
    stopping,
  );
}

function extendExpiry({ store, clock }: PollUses, customerId: Id, id: Id): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.lock(id);
    if (subject?.status === 'open') await transaction.imports.update(touch(subject, clock.now()));
  });
}
