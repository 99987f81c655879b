import type { ImportPhoto } from '../imports/import-photo.js';
import type { Id } from '../shared/ids.js';
import type { StagingName } from './blob-key.js';

/** What the rows say of one name in staging, all of one moment. */
export interface StagingState {
  readonly uploadId: number;
  /** An item waits for the bytes of just this attempt, or has them and they are being looked at. */
  readonly held: boolean;
  /** The import is open: an attempt that nobody holds yet may still be taken up, by a sender who has stored its bytes and not said so. */
  readonly open: boolean;
}

/** Which blobs the rows of the bound customer rely on: asked by those who clean up and check. Each answer is of one moment. */
export interface BlobOwners {
  /** A state for each of these names, in no order. */
  staging(names: readonly StagingName[]): Promise<readonly StagingState[]>;
  /** Those of these names that are the originals of photos, in the trash or not, or of items that may still become photos (`reservingStatuses`). */
  originals(blobNames: readonly string[]): Promise<readonly string[]>;
  /**
   * Those of these ids that are photos, in the trash or not, with the rotation in which they are shown, or null when their original
   * is lost and no rendition can be made again; and items that may still become photos, with rotation 0.
   */
  renditions(ids: readonly Id[]): Promise<readonly { readonly id: Id; readonly rotation: number | null }[]>;
  /** Items of any import that rely on bytes (`processing`, `ready`), with ids over `after`, ascending, at most `limit`. */
  itemsWithBytes(after: Id | null, limit: number): Promise<readonly ImportPhoto[]>;
  /** Those of these attempts that were given up. */
  dropped(importId: Id, uploadIds: readonly number[]): Promise<readonly number[]>;
}

export interface BlobOwnership extends BlobOwners {
  /**
   * Gives an attempt up: its bytes are about to be removed, and no item may take it up any more. Who takes an attempt up asks
   * `dropped` while the item, or the import if there is no item yet, is locked; who gives it up has both locked. Twice is fine.
   */
  drop(importId: Id, uploadId: number): Promise<void>;
}
