import type { BlobStore } from '../blobs/blob-store.js';
import type { Gazetteer } from '../photos/gazetteer.js';
import type { Clock } from '../shared/clock.js';
import { isOutage } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { completeImport } from './complete-import.js';
import { giveUpItem } from './fail-item.js';
import { itemsInBatches } from './items-in-batches.js';
import { publishItem } from './publish-item.js';
import { publishMany } from './publish-many.js';
import { resolveDuplicate } from './resolve-duplicate.js';

type PublishUses = {
  store: Transactional<'photos' | 'imports' | 'importPhotos' | 'customer' | 'outbox'>;
  blobs: BlobStore;
  clock: Clock;
  gazetteer: Gazetteer;
};

/**
 * Publishes the ready items of a finalized import to the library, many in one transaction, and completes the import once no item has work
 * left. On the last attempt, an item that fails is given up, and only that one. May run at any time and twice: finished work is not
 * repeated.
 */
export async function publishImport(
  uses: PublishUses,
  customerId: Id,
  importId: Id,
  isLastTry: boolean,
): Promise<void> {
  const subject = await uses.store.query(customerId, (reader) => reader.imports.find(importId));
  if (subject?.status !== 'processing') return;
  for await (const ready of itemsInBatches(uses, subject, 'ready')) {
    // A problem with one of them must not block the others.
    const left = await publishMany(uses, subject, ready).catch((error) => unlessOutage(error, ready));
    for (const item of left) {
      await publishItem(uses, subject, item).catch((error) => giveUpItem(uses, item, error, isLastTry));
    }
  }
  const busy = await uses.store.query(customerId, (reader) =>
    reader.importPhotos.countIn(importId, ['fetching', 'processing', 'ready']),
  );
  // The inspection of the last one requests publishing again.
  if (busy > 0) return;
  for await (const duplicates of itemsInBatches(uses, subject, 'duplicate')) {
    for (const item of duplicates) {
      if (!item.resolved)
        await resolveDuplicate(uses, subject, item).catch((error) => giveUpItem(uses, item, error, isLastTry));
    }
  }
  await completeImport(uses, subject);
}

function unlessOutage<T>(error: unknown, otherwise: T): T {
  if (isOutage(error)) throw error;
  return otherwise;
}
