import { everyBatch } from '../shared/every-page.js';
import { windowAfter } from '../shared/pagination.js';
import type { Transactional } from '../shared/transactional.js';
import { type Import } from './import.js';
import { type ImportPhoto, type ImportPhotoStatus } from './import-photo.js';

const BATCH = 100;

/** The items of an import in one state, some at a time; those that leave the state meanwhile are not missed. */
export function itemsInBatches(
  { store }: { store: Transactional<'importPhotos'> },
  subject: Import,
  status: ImportPhotoStatus,
): AsyncIterable<readonly ImportPhoto[]> {
  return everyBatch(BATCH, (after) => {
    const window = windowAfter(after, BATCH);
    return store.query(subject.customerId, (reader) =>
      reader.importPhotos.list({ importId: subject.id, statuses: [status], window }),
    );
  });
}
