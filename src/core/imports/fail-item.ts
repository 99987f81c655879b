import type { Clock } from '../shared/clock.js';
import { type ItemError, isOutage } from '../shared/errors.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { cancel, fail, type ImportPhoto } from './import-photo.js';

/** Fails a locked item, and with it the items of its import that rely on its bytes instead of their own. */
export async function failItem(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  error: ItemError,
  at: Date,
): Promise<void> {
  await transaction.importPhotos.update(fail(item, error, at));
  await failDependents(transaction, item, at);
}

/** Cancels a locked item; items that relied on its bytes fail. */
export async function cancelItem(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  at: Date,
): Promise<ImportPhoto> {
  const cancelled = cancel(item, at);
  await transaction.importPhotos.update(cancelled);
  await failDependents(transaction, item, at);
  return cancelled;
}

/** Fails the items that relied on the bytes of this one. `item` is its value before the change. */
export async function failDependents(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  at: Date,
): Promise<void> {
  if (item.sha256 === null) return;
  for (const other of await transaction.importPhotos.findBySha256(item.importId, [item.sha256])) {
    if (other.duplicateOfItemId !== item.id) continue;
    const dependant = await transaction.importPhotos.lock(other.importId, other.id);
    if (dependant?.status === 'duplicate') await transaction.importPhotos.update(fail(dependant, sourceFailed, at));
  }
}

export const sourceFailed: ItemError = {
  code: 'duplicate_of_failed',
  message: 'Another file in this import has the same bytes and could not be imported. Register this one again.',
};

export const unprocessable: ItemError = {
  code: 'processing_failed',
  message: 'The service failed to process this file. Import it again, and report the problem if it fails again.',
};

/** Fails an item that could not be published on the last attempt: it must not keep its import from completing. Otherwise throws `error`. */
export async function giveUpItem(
  { store, clock }: { store: Transactional<'importPhotos'>; clock: Clock },
  seen: ImportPhoto,
  error: unknown,
  isLastTry: boolean,
): Promise<void> {
  if (isOutage(error) || !isLastTry) throw error;
  await store.transaction(seen.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(seen.importId, seen.id);
    if (item?.status === seen.status) await failItem(transaction, item, unprocessable, clock.now());
  });
}
