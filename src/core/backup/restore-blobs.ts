import { checkedAtEnd, withMeasure } from '../blobs/blob-bytes.js';
import { type BlobKey, blobPrefixes } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { failItem } from '../imports/import-photo.js';
import { bytesMissing } from '../imports/inspect.js';
import { requestPublishing } from '../imports/publish.js';
import type { Clock } from '../shared/clock.js';
import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import type { Transactional } from '../shared/transactional.js';
import type { BackedUpBlob, Conversion, MissedBlob } from './blob-backup.js';

export interface BlobCheck {
  /** The files of the backup. */
  readonly from: BlobStore;
  readonly parallel: number;
  /** Called for a file that is missing, or whose bytes are not those of the list. */
  readonly onWrong: (blob: BackedUpBlob, why: 'missing' | 'altered') => void;
}

export interface BlobRestore extends BlobCheck {
  /** The store of the new service. */
  readonly to: BlobStore;
  /** Null: the files are the blobs. Its errors mean that a file was altered. */
  readonly decrypt: Conversion | null;
  /** @param sizeBytes Of the blob. */
  readonly onDone: (sizeBytes: number) => void;
}

/** A blob of the store that is not in the backup: then the store belongs to another installation. Null when there is none. */
export async function foreignBlob(to: BlobStore, blobs: () => AsyncIterable<BackedUpBlob>): Promise<BlobKey | null> {
  const unlisted = new Set<BlobKey>();
  for (const prefix of Object.values(blobPrefixes)) {
    for await (const { key } of to.list(prefix)) unlisted.add(key);
  }
  if (unlisted.size > 0) for await (const { key } of blobs()) unlisted.delete(key);
  return [...unlisted][0] ?? null;
}

/** Reads every file of a backup and compares it with the list. Errors: `service_unavailable` of the store. */
export function checkBlobs({ from, parallel, onWrong }: BlobCheck, blobs: AsyncIterable<BackedUpBlob>): Promise<void> {
  return forEachConcurrently(blobs, parallel, async (blob) => {
    const hash = await hashAt(from, blob.file ?? blob.key);
    if (hash !== blob.sha256) onWrong(blob, hash === null ? 'missing' : 'altered');
  });
}

/**
 * Restores blobs, and reads each again to compare it with what was written. May be interrupted and run again. Errors:
 * `service_unavailable` of either store.
 */
export function restoreBlobs(options: BlobRestore, blobs: AsyncIterable<BackedUpBlob>): Promise<void> {
  const { to, decrypt, parallel, onDone, onWrong } = options;
  return forEachConcurrently(blobs, parallel, async (blob) => {
    const isThere =
      decrypt === null &&
      (await to.head(blob.key))?.sizeBytes === blob.sizeBytes &&
      (await hashAt(to, blob.key)) === blob.sha256;
    const restored = isThere ? blob.sizeBytes : await restore(options, blob);
    if (typeof restored === 'number') onDone(restored);
    else onWrong(blob, restored);
  });
}

async function restore(
  { from, to, decrypt }: BlobRestore,
  blob: BackedUpBlob,
): Promise<number | 'missing' | 'altered'> {
  const source = await from.get(blob.file ?? blob.key);
  if (source === null) return 'missing';
  const file = withMeasure(source.bytes, source.sizeBytes);
  // The file was compared before; should it have changed since, nothing of it is stored.
  const checked = checkedAtEnd(file.bytes, () => {
    if (file.measure.sha256 !== blob.sha256) throw new Altered();
  });
  const { bytes, measure } = withMeasure(decrypt === null ? checked : decrypt(checked), Number.MAX_SAFE_INTEGER);
  try {
    const { sizeBytes } = await to.put(blob.key, bytes);
    return (await hashAt(to, blob.key)) === measure.sha256 ? sizeBytes : 'altered';
  } catch (error) {
    if (error instanceof Altered) return 'altered';
    throw error;
  }
}

class Altered extends Error {}

/**
 * Adapts restored rows to the blobs of their backup: photos that were deleted while the backup was made are deleted, items without bytes
 * fail. A photo whose bytes had been lost before remains, so that people see it. May run twice. Returns how many were removed.
 */
export async function removeMissed(
  { store, clock }: { store: Transactional<'photos' | 'imports' | 'importPhotos' | 'jobs'>; clock: Clock },
  missed: AsyncIterable<MissedBlob>,
): Promise<number> {
  let leftOut = 0;
  for await (const { customerId, id, importId, why } of missed) {
    if (importId === null && why !== 'deleted') continue;
    await store.transaction(customerId, async (transaction) => {
      if (importId !== null) {
        const shared = await transaction.imports.share(importId);
        const item = await transaction.importPhotos.lock(importId, id);
        if (item?.status !== 'processing' && item?.status !== 'ready') return;
        await failItem(transaction, item, bytesMissing, clock.now());
        await requestPublishing(transaction, shared);
        return;
      }
      const [photo] = await transaction.photos.lock([id]);
      if (photo !== undefined) await transaction.photos.delete(id);
    });
    leftOut += 1;
  }
  return leftOut;
}
