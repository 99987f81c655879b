import { type Measure, recycled, withMeasure } from '../../blobs/blob-bytes.js';
import { stagingKey } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import type { VerifiedBlobs } from '../../blobs/verified-blobs.js';
import type { PictureBytes } from '../../media/media-reader.js';
import { DomainError, type ItemError } from '../../shared/errors.js';
import type { Transaction } from '../../shared/transactional.js';
import type { ImportPhoto } from '../import-photo.js';

type StagedUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs };

/** The staged bytes of an item. */
export interface StagedPicture {
  readonly etag: string;
  readonly bytes: PictureBytes;
  /** Complete once the bytes were read. */
  readonly measure: Pick<Measure, 'sizeBytes' | 'sha256'>;
}

/**
 * The staged bytes of an item, measured while they are read; null when there are none. A file that this process hashed while it received it, and
 * that nothing has written to since, is not read again. Throws `TooManyBytes` when it is read, at the first byte over `maxBytes`.
 */
export async function openStaged(
  { blobs, verifiedBlobs }: StagedUses,
  item: ImportPhoto,
  maxBytes: number,
): Promise<StagedPicture | null> {
  const key = stagingKey(item);
  const file = await blobs.file(key);
  const isKnown = file !== null && verifiedBlobs.trusts(key, file.state, { sampled: false });
  if (isKnown && file.sizeBytes === item.sizeBytes && item.sha256 !== null && file.sizeBytes <= maxBytes) {
    const { etag, path } = file;
    const bytes = { file: async () => path, [Symbol.asyncIterator]: () => readStaged(blobs, item) };
    return { etag, bytes, measure: { sizeBytes: item.sizeBytes, sha256: item.sha256 } };
  }
  const staged = await blobs.get(key);
  if (staged === null) return null;
  const { bytes, measure } = withMeasure(staged.bytes, maxBytes);
  return { etag: staged.etag, bytes: recycled(bytes, staged.release), measure };
}

/** The error of an item that should have staged bytes, and has none. */
export const bytesMissing: ItemError = {
  code: 'upload_missing',
  message: 'The uploaded bytes are missing. Upload the file again.',
};

/** For readers that do not take files. */
async function* readStaged(blobs: BlobStore, item: ImportPhoto): AsyncGenerator<Uint8Array, void, void> {
  const staged = await blobs.get(stagingKey(item));
  if (staged === null) throw new DomainError('service_unavailable', 'The staged bytes disappeared during inspection.');
  yield* recycled(staged.bytes, staged.release);
}

/** The blob holds the bytes that were hashed while they were written. */
export async function noteStaged(
  { blobs, verifiedBlobs }: StagedUses,
  item: Parameters<typeof stagingKey>[0],
): Promise<void> {
  const key = stagingKey(item);
  const file = await blobs.file(key);
  if (file !== null) verifiedBlobs.addWritten(key, file.state);
}

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
