import type { CustomerTransaction } from '../customers/customer-store.js';
import type { ImportPhoto } from './import-photo.js';

/** Asks for an item's bytes to be looked at, if they are here and nobody has yet. */
export async function requestInspection(transaction: CustomerTransaction, item: ImportPhoto): Promise<void> {
  if (item.status !== 'processing') return;
  await transaction.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
}

/** Saves a locked item that was waiting for its bytes, and looks at them if they have come. */
export async function saveAndRequestInspection(transaction: CustomerTransaction, item: ImportPhoto): Promise<void> {
  await transaction.importPhotos.update(item);
  await requestInspection(transaction, item);
}
