import type { Clock } from '../shared/clock.js';
import { type ItemError, isOutage } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transaction, Transactional } from '../shared/transactional.js';
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
  for (const id of await dependentIds(transaction, [item])) {
    const dependent = await transaction.importPhotos.lock(item.importId, id);
    if (dependent?.status === 'duplicate') await transaction.importPhotos.update(fail(dependent, sourceFailed, at));
  }
}

/** The items that rely on the bytes of these, which are of one import, by id ascending. */
export async function dependentIds(
  { importPhotos }: Reader<'importPhotos'>,
  items: readonly ImportPhoto[],
): Promise<readonly Id[]> {
  const [first] = items;
  const hashes = items.flatMap(({ sha256 }) => sha256 ?? []);
  if (first === undefined || hashes.length === 0) return [];
  const ids = new Set<Id | null>(items.map(({ id }) => id));
  const same = await importPhotos.findBySha256(first.importId, [...new Set(hashes)]);
  return same.flatMap(({ id, duplicateOfItemId: source }) => (source !== null && ids.has(source) ? id : []));
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
