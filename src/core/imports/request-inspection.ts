import type { Transaction } from '../shared/transactional.js';
import type { ImportPhoto } from './import-photo.js';

/** Requests the inspection of an item's bytes, if they have arrived and nobody has requested it yet. */
export async function requestInspection(transaction: Transaction<'jobs'>, item: ImportPhoto): Promise<void> {
  if (item.status !== 'processing') return;
  await transaction.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
}

/** Saves a locked item that was waiting for its bytes, and requests their inspection if they have arrived. */
export async function saveAndRequestInspection(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  item: ImportPhoto,
): Promise<void> {
  await transaction.importPhotos.update(item);
  await requestInspection(transaction, item);
}
