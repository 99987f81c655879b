import type { Id } from '../shared/ids.js';
import { windowAfter } from '../shared/pagination.js';
import type { Reader } from '../shared/transactional.js';
import { applyToPhotos, type BatchContext, type BatchTransaction, type Progress, revertPhotos } from './bulk-batch.js';
import { BULK_BATCH, type BulkEdit } from './bulk-edit.js';

export interface Batch {
  readonly photoIds: readonly Id[];
  process(transaction: BatchTransaction, context: BatchContext): Promise<Progress>;
}

export async function nextBatch({ bulkEdits, photos }: Reader<'bulkEdits' | 'photos'>, edit: BulkEdit): Promise<Batch> {
  const { id, filters, lastPhotoId: last } = edit;
  if (edit.state === 'undoing') {
    const changes = await bulkEdits.changes(id, last, BULK_BATCH);
    const photoIds = changes.map(({ photoId }) => photoId);
    return { photoIds, process: (transaction, context) => revertPhotos(transaction, context, changes) };
  }
  const window = windowAfter(last, BULK_BATCH);
  const photoIds =
    filters === null
      ? await bulkEdits.chosenPhotos(id, last, BULK_BATCH)
      : (await photos.list({ filters, sort: 'id', window })).map((photo) => photo.id);
  return { photoIds, process: (transaction, context) => applyToPhotos(transaction, context, photoIds) };
}
