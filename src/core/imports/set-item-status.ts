import { randomUUID } from 'node:crypto';
import { DomainError } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import { cancelItem } from './fail-item.js';
import { finalError, type ImportPhoto, retry, transition } from './import-photo.js';
import type { ImportPhotoPatch } from './import-photo-patch.js';
import { saveAndRequestInspection } from './request-inspection.js';

/**
 * Applies the status that a client requests to a locked item. `staged` is the upload id whose bytes are in staging, if any. Errors:
 * `import_photo_final`, `uploads_incomplete`.
 */
export async function setItemStatus(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  item: ImportPhoto,
  status: NonNullable<ImportPhotoPatch['status']>,
  staged: number | null,
  at: Date,
): Promise<ImportPhoto> {
  if (status === 'cancelled') return item.status === 'cancelled' ? item : cancelItem(transaction, item, at);
  if (status === 'uploaded') return confirmUpload(transaction, item, staged, at);
  if (item.status !== 'awaiting_upload' && item.status !== 'failed') throw finalError(item);
  if (item.status === 'awaiting_upload') return item;
  const waiting = retry(item, randomUUID(), at);
  await transaction.importPhotos.update(waiting);
  return waiting;
}

async function confirmUpload(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  item: ImportPhoto,
  staged: number | null,
  at: Date,
): Promise<ImportPhoto> {
  if (['processing', 'ready', 'duplicate'].includes(item.status)) return item;
  if (item.status !== 'awaiting_upload') throw finalError(item);
  if (staged !== item.uploadId) {
    const message = 'No bytes have arrived for this item. Send them to its upload URL first.';
    throw new DomainError('uploads_incomplete', message, { missing: 1, sample: [item.id] });
  }
  const arrived = transition(item, 'processing', at);
  await saveAndRequestInspection(transaction, arrived);
  return arrived;
}
