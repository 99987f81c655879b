import { originalKey, stagingKey } from '../blobs/blob-key.js';
import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import type { Readable, Reader } from '../shared/transactional.js';
import { backUpBlob } from './back-up-blob.js';
import type { BlobBackup, NeededBlob } from './blob-backup.js';

/**
 * Backs up the blobs that the rows of a snapshot refer to. Those in an earlier backup are not read again: originals never change. Blobs
 * that the service has deleted since the snapshot are distinguished from lost ones by the current rows. Errors: `service_unavailable` of
 * either store, or of the database.
 */
export function backUpBlobs(
  { store }: { store: Readable<'photos' | 'importPhotos'> },
  backup: BlobBackup,
  needed: AsyncIterable<NeededBlob>,
): Promise<void> {
  return forEachConcurrently(needed, backup.parallel, async (blob) => {
    const why = await backUpBlob(backup, blob);
    if (why === 'kept') return;
    const { customerId, id, importId, key } = blob;
    const isDeleted = why === 'lost' && !(await store.query(customerId, (reader) => isThere(reader, blob)));
    await backup.onMissed({ customerId, id, importId, key, why: isDeleted ? 'deleted' : why });
  });
}

/** Whether the row still refers to these bytes. An item that failed meanwhile, and was uploaded again, refers to others. */
async function isThere(
  { photos, importPhotos }: Reader<'photos' | 'importPhotos'>,
  { id, importId, key, later }: NeededBlob,
): Promise<boolean> {
  if (importId === null) return (await photos.get(id)) !== null;
  const item = await importPhotos.get(importId, id);
  if (item?.status === 'processing') return stagingKey(item) === key;
  return item?.status === 'ready' && [key, later].includes(originalKey(item));
}
