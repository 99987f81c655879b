import type { BlobStore, OpenBlob } from '../blobs/blob-store.js';
import { checkedAtEnd, withMeasure } from '../blobs/measure.js';
import type { BlobBackup, NeededBlob } from './blob-backup.js';

/** Copies a blob, unless an earlier backup has it. `kept`: it is in the backup. Errors: `service_unavailable` of either store. */
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

async function openAnywhere(from: BlobStore, { key, later }: NeededBlob): Promise<OpenBlob | null> {
  return (await from.get(key)) ?? (later === null ? null : from.get(later));
}

/** The bytes do not match the row: then they are not stored under its key. */
class Damaged extends Error {}
