import { forEachConcurrently } from '../shared/for-each-concurrently.js';
import { withMeasure } from './blob-bytes.js';
import { type BlobKey, blobPrefixes } from './blob-key.js';
import type { BlobInfo, BlobStore, ListedBlob } from './blob-store.js';

/** Blobs that were found equal in both stores, so that a later run need not read them again. */
export interface Compared {
  has(key: BlobKey, from: BlobInfo, to: BlobInfo): boolean;
  add(key: BlobKey, from: BlobInfo, to: BlobInfo): void;
}

export interface BlobCopying {
  readonly from: BlobStore;
  readonly to: BlobStore;
  readonly compared: Compared;
  /** Blobs that are copied at the same time. */
  readonly parallel: number;
  /** Called after every blob. */
  readonly onProgress?: (soFar: BlobsCopied) => void;
}

export interface BlobsCopied {
  copied: number;
  /** Blobs that existed already, with the same bytes. */
  unchanged: number;
  /** Bytes of the copied blobs. */
  bytes: number;
  /** Keys whose bytes differ after copying. */
  readonly wrong: BlobKey[];
}

/**
 * Copies every blob of one store to another. Each is read back and compared by its SHA-256, including those that existed already. May be
 * interrupted at any time and run again; may run beside a service that uses `from`, and then misses blobs added meanwhile. Errors:
 * `service_unavailable` of either store.
 */
export async function copyBlobs(copying: BlobCopying): Promise<BlobsCopied> {
  const soFar: BlobsCopied = { copied: 0, unchanged: 0, bytes: 0, wrong: [] };
  await forEachConcurrently(everyBlob(copying.from), copying.parallel, async ({ key }) => {
    await copyUnlessEqual(copying, key, soFar);
    copying.onProgress?.(soFar);
  });
  return soFar;
}

async function* everyBlob(store: BlobStore): AsyncGenerator<ListedBlob, void, void> {
  for (const prefix of Object.values(blobPrefixes)) yield* store.list(prefix);
}

async function copyUnlessEqual(copying: BlobCopying, key: BlobKey, soFar: BlobsCopied): Promise<void> {
  const { from, to, compared } = copying;
  const [source, there] = [await from.head(key), await to.head(key)];
  // Deleted since it was listed.
  if (source === null) return;
  if (there?.sizeBytes === source.sizeBytes) {
    const isKnown = compared.has(key, source, there);
    if (isKnown || (await hashAt(from, key)) === (await hashAt(to, key))) {
      if (!isKnown) compared.add(key, source, there);
      soFar.unchanged += 1;
      return;
    }
  }
  const blob = await from.get(key);
  if (blob === null) return;
  const { bytes, measure } = withMeasure(blob.bytes, blob.sizeBytes);
  const stored = await to.put(key, bytes);
  if (measure.sha256 === null || (await hashAt(to, key)) !== measure.sha256) {
    soFar.wrong.push(key);
    return;
  }
  compared.add(key, blob, stored);
  soFar.copied += 1;
  soFar.bytes += stored.sizeBytes;
}

/** SHA-256 of a stored blob, 64 hex digits; null when the blob is absent. */
export async function hashAt(store: BlobStore, key: BlobKey): Promise<string | null> {
  const blob = await store.get(key);
  if (blob === null) return null;
  const { bytes, measure } = withMeasure(blob.bytes, blob.sizeBytes);
  for await (const chunk of bytes) blob.release?.(chunk);
  return measure.sha256;
}
