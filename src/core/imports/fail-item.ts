import type { CustomerWork } from '../customers/customer-store.js';
import type { ItemError } from '../shared/errors.js';
import { failed, type ImportPhoto, move } from './import-photo.js';

/** Fails a locked item, and with it the items of its import that were waiting for its bytes instead of their own. */
export async function failItem(work: CustomerWork, item: ImportPhoto, error: ItemError, at: Date): Promise<void> {
  await work.importPhotos.update(failed(item, error, at));
  await failDependants(work, item, at);
}

/** Cancels a locked item; who relied on its bytes fails. */
export async function cancelItem(work: CustomerWork, item: ImportPhoto, at: Date): Promise<ImportPhoto> {
  const cancelled = { ...move(item, 'cancelled', at), facts: null };
  await work.importPhotos.update(cancelled);
  await failDependants(work, item, at);
  return cancelled;
}

/** Fails the items that were waiting for the bytes which this one was to bring. `item` is what it was before. */
export async function failDependants(work: CustomerWork, item: ImportPhoto, at: Date): Promise<void> {
  if (item.sha256 === null) return;
  for (const other of await work.importPhotos.findBySha256(item.importId, [item.sha256])) {
    if (other.duplicateOfItemId !== item.id) continue;
    const dependant = await work.importPhotos.lock(other.importId, other.id);
    if (dependant?.status === 'duplicate') await work.importPhotos.update(failed(dependant, sourceFailed, at));
  }
}

export const sourceFailed: ItemError = {
  code: 'duplicate_of_failed',
  message: 'The file of this import that has the same bytes did not become a photo. Register this one again.',
};
