import type { BlobStore, OpenBlob } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { withMeasure } from '../blobs/measure.js';
import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import type { Readable, Reader } from '../shared/transactional.js';
import { type BlobBackup, type NeededBlob } from './blob-backup.js';

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
    const why = await backUp(backup, blob);
    if (why === 'kept') return;
    const { customerId, id, importId, key } = blob;
    const isDeleted = why === 'lost' && !(await store.query(customerId, (reader) => isThere(reader, blob)));
    await backup.onMissed({ customerId, id, importId, key, why: isDeleted ? 'deleted' : why });
  });
}

/** Whether the row still refers to these bytes. */
async function isThere(
  { photos, importPhotos }: Reader<'photos' | 'importPhotos'>,
  { id, importId }: NeededBlob,
): Promise<boolean> {
  if (importId === null) return (await photos.get(id)) !== null;
  const item = await importPhotos.get(importId, id);
  return item?.status === 'processing' || item?.status === 'ready';
}

async function backUp({ from, to, onBackedUp }: BlobBackup, blob: NeededBlob): Promise<'kept' | 'lost' | 'damaged'> {
  const { key, sha256 } = blob;
  const there = await to.head(key);
  if (there !== null) {
    const known = sha256 ?? (await hashAt(to, key));
    if (known !== null) await onBackedUp({ key, sizeBytes: there.sizeBytes, sha256: known }, false);
    return known === null ? 'lost' : 'kept';
  }
  const source = await openAnywhere(from, blob);
  if (source === null) return 'lost';
  const { bytes, measure } = withMeasure(source.bytes, source.sizeBytes);
  const { sizeBytes } = await to
    .put(
      key,
      verifying(bytes, () => sha256 === null || measure.sha256 === sha256),
    )
    .catch((error: unknown) => {
      if (error instanceof Damaged) return { sizeBytes: null };
      throw error;
    });
  if (sizeBytes === null || measure.sha256 === null) return 'damaged';
  await onBackedUp({ key, sizeBytes, sha256: measure.sha256 }, true);
  return 'kept';
}

async function openAnywhere(from: BlobStore, { key, later }: NeededBlob): Promise<OpenBlob | null> {
  return (await from.get(key)) ?? (later === null ? null : from.get(later));
}

class Damaged extends Error {}

/** So that bytes that do not match the row are never stored under its key. */
async function* verifying(bytes: AsyncIterable<Uint8Array>, isRight: () => boolean): AsyncIterable<Uint8Array> {
  yield* bytes;
  if (!isRight()) throw new Damaged();
}
