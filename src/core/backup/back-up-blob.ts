import type { BlobStore, OpenBlob } from '../blobs/blob-store.js';
import { withMeasure } from '../blobs/measure.js';
import type { BlobBackup, NeededBlob } from './blob-backup.js';

export async function backUpBlob(
  { from, to, onBackedUp }: BlobBackup,
  blob: NeededBlob,
): Promise<'kept' | 'lost' | 'damaged'> {
  const { key, sha256 } = blob;
  const there = await to.find(blob);
  if (there !== null) return onBackedUp(there, false).then(() => 'kept');
  const source = await openAnywhere(from, blob);
  if (source === null) return 'lost';
  const { bytes, measure } = withMeasure(source.bytes, source.sizeBytes);
  const added = await to
    .add(
      key,
      verifying(bytes, () => sha256 === null || measure.sha256 === sha256),
    )
    .catch((error: unknown) => {
      if (error instanceof Damaged) return null;
      throw error;
    });
  if (added === null) return 'damaged';
  await onBackedUp(added, true);
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
