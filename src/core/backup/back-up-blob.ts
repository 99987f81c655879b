import type { BlobStore, OpenBlob } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { withMeasure } from '../blobs/measure.js';
import type { BlobBackup, NeededBlob } from './blob-backup.js';

export async function backUpBlob(
  { from, to, onBackedUp }: BlobBackup,
  blob: NeededBlob,
): Promise<'kept' | 'lost' | 'damaged'> {
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
