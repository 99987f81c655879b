import type { Id } from '../shared/ids.js';
import { allKinds, type BlobKey, type BlobKind, prefixOf, type StagingName } from './blob-key.js';
import type { BlobStore } from './blob-store.js';

/** The state of one name in staging according to the rows, in one snapshot. */
export interface StagingState {
  readonly uploadId: number;
  /** An item waits for the bytes of this very upload, or has them and they are being inspected; or they are a part of a resumable upload. */
  readonly held: boolean;
  /**
   * The import is open: an upload that no item refers to yet may still be received, by a sender that has stored its bytes but not reported
   * them.
   */
  readonly open: boolean;
}

/** Which blobs the rows of the bound customer rely on, for cleaning up and verifying. Each result is one snapshot. */
export interface BlobOwners {
  /** A state for each of these names, in no order. */
  staging(names: readonly StagingName[]): Promise<readonly StagingState[]>;
  /**
   * Returns the names among these that are the originals of photos, in the trash or not, or of items that may still become photos
   * (`reservingStatuses`).
   */
  originals(blobNames: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns the ids among these that are photos, in the trash or not, with their rotation, or null when their original is lost and no rendition can
   * be generated again; and items that may still become photos, with rotation 0.
   */
  renditions(ids: readonly Id[]): Promise<readonly { readonly id: Id; readonly rotation: number | null }[]>;
  /** Returns the uploads among these that were abandoned. */
  dropped(importId: Id, uploadIds: readonly number[]): Promise<readonly number[]>;
}

export interface BlobOwnership extends BlobOwners {
  /**
   * Abandons an upload: its bytes are about to be removed, and no item may receive it from then on. To receive an upload, check `dropped` while
   * the item, or the import if there is no item yet, is locked; to abandon one, lock both. Repeating it is allowed.
   */
  drop(importId: Id, uploadId: number): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly blobOwners: BlobOwners;
  }
  interface Repositories {
    readonly blobOwners: BlobOwnership;
  }
}

/** Blobs by kind, and their bytes. */
export type BlobCounting = Record<BlobKind | 'bytes', number>;

export function noBlobs(): BlobCounting {
  return { staging: 0, originals: 0, renditions: 0, bytes: 0 };
}

const BATCH = 500;

/** Adds every blob of a customer to the count, and passes their keys on in batches. */
export async function eachBlobOf(
  { blobs }: { blobs: BlobStore },
  id: Id,
  count: BlobCounting,
  act: (keys: readonly BlobKey[]) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const kind of allKinds) {
    const batch: BlobKey[] = [];
    for await (const { key, sizeBytes } of blobs.list(prefixOf(kind, id))) {
      count[kind] += 1;
      count.bytes += sizeBytes;
      if (batch.push(key) === BATCH) await act(batch.splice(0));
    }
    if (batch.length > 0) await act(batch);
  }
}
