import { checkedAtEnd, withMeasure } from '../blobs/blob-bytes.js';
import { type BlobKey, originalKey, stagingKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import type { Readable, Reader } from '../shared/transactional.js';
import type { BackedUpBlob, BlobBackup, BlobFiles, Conversion, NeededBlob } from './blob-backup.js';

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

/** Copies a blob, unless an earlier backup has it. `kept`: it is in the backup. Errors: `service_unavailable` of either store. */
async function backUpBlob(
  { from, to, onBackedUp }: BlobBackup,
  blob: NeededBlob,
): Promise<'kept' | 'lost' | 'damaged'> {
  const { key, later, sha256 } = blob;
  const there = await to.find(blob);
  if (there !== null) return onBackedUp(there, false).then(() => 'kept');
  const source = (await from.get(key)) ?? (later === null ? null : await from.get(later));
  if (source === null) return 'lost';
  const { bytes, measure } = withMeasure(source.bytes, source.sizeBytes);
  const requireMatch = () => {
    if (sha256 !== null && measure.sha256 !== sha256) throw new Damaged();
  };
  const added = await to.add(key, checkedAtEnd(bytes, requireMatch)).catch((error: unknown) => {
    if (error instanceof Damaged) return null;
    throw error;
  });
  if (added === null) return 'damaged';
  await onBackedUp(added, true);
  return 'kept';
}

/** The bytes do not match the row: then they are not stored under its key. */
class Damaged extends Error {}

/** Blobs as they are, under their own names. */
export class PlainBlobFiles implements BlobFiles {
  constructor(private readonly store: BlobStore) {}

  async find({ key, sha256 }: NeededBlob): Promise<BackedUpBlob | null> {
    const there = await this.store.head(key);
    const known = there === null ? null : (sha256 ?? (await hashAt(this.store, key)));
    return there === null || known === null ? null : { key, sizeBytes: there.sizeBytes, sha256: known };
  }

  async add(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BackedUpBlob> {
    return { key, ...(await putMeasured(this.store, key, bytes)) };
  }
}

/**
 * Blobs that the service itself cannot read again. What a file contains is known only from a list that this service has signed. A file is
 * never replaced, because other lists may refer to it: each run gives its files names of its own.
 * @param known By key, from lists of earlier backups.
 * @param run Lower-case letters and digits.
 */
export class EncryptedBlobFiles implements BlobFiles {
  constructor(
    private readonly store: BlobStore,
    private readonly known: ReadonlyMap<BlobKey, BackedUpBlob>,
    private readonly encrypt: Conversion,
    private readonly run: string,
  ) {}

  async find({ key }: NeededBlob): Promise<BackedUpBlob | null> {
    const known = this.known.get(key);
    if (known === undefined) return null;
    const there = await this.store.head(known.file ?? key);
    return there?.sizeBytes === known.sizeBytes ? known : null;
  }

  async add(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BackedUpBlob> {
    const file = storedKey(`${key}.${this.run}.age`);
    return { key, file, ...(await putMeasured(this.store, file, this.encrypt(bytes))) };
  }
}

async function putMeasured(
  store: BlobStore,
  key: BlobKey,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Pick<BackedUpBlob, 'sizeBytes' | 'sha256'>> {
  const { bytes: measured, measure } = withMeasure(bytes, Number.MAX_SAFE_INTEGER);
  const { sizeBytes } = await store.put(key, measured);
  if (measure.sha256 === null) throw new Error(`${key} was stored without being read to its end.`);
  return { sizeBytes, sha256: measure.sha256 };
}
