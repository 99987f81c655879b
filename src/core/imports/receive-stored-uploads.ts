import { blobPrefixes, readBlobKey, type StagingName, stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type ImportPhoto, transition } from './import-photo.js';
import { saveAndRequestInspection } from './request-inspection.js';

type ReceiveUses = { store: Transactional<'importPhotos' | 'jobs'>; blobs: BlobStore; clock: Clock };

/** Items that are received in one transaction. */
const BATCH = 100;

/**
 * Receives bytes in staging for items of an import that are waiting for exactly these, even though nobody reported them: a client sent them
 * directly to the store, or the process that stored them died. Resolves with how many. Errors: `service_unavailable`, also from the store.
 */
export async function receiveStoredUploads(uses: ReceiveUses, customerId: Id, importId: Id): Promise<number> {
  const waiting = await uses.store.query(customerId, (reader) =>
    reader.importPhotos.countIn(importId, ['awaiting_upload']),
  );
  if (waiting === 0) return 0;
  let received = 0;
  let batch: StagingName[] = [];
  for await (const { key } of uses.blobs.list(`${blobPrefixes.staging}${customerId}/${importId}/`)) {
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
  const arrived = (await store.query(customerId, (reader) => reader.importPhotos.getMany(importId, ids))).filter(
    isHere,
  );
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
