import type { CustomerTransaction } from '../customers/customer-store.js';
import type { ImportPhoto } from './import-photo.js';

/** Requests the inspection of an item's bytes, if they have arrived and nobody has requested it yet. */
export async function requestInspection(transaction: CustomerTransaction, item: ImportPhoto): Promise<void> {
  if (item.status !== 'processing') return;
  await transaction.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
}

/** Saves a locked item that was waiting for its bytes, and requests their inspection if they have arrived. */
export async function saveAndRequestInspection(transaction: CustomerTransaction, item: ImportPhoto): Promise<void> {
  await transaction.importPhotos.update(item);
  await requestInspection(transaction, item);
}
