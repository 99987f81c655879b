import type { Id } from '../shared/ids.js';
import type { StagingName } from './blob-key.js';

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
