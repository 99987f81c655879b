import type { BlobKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Id } from '../shared/ids.js';

/** A blob that a row of a snapshot refers to. */
export interface NeededBlob {
  readonly customerId: Id;
  /** The photo, or the item that is to become it. */
  readonly id: Id;
  /** Null for a photo. */
  readonly importId: Id | null;
  readonly key: BlobKey;
  /** 64 hex digits; null if the bytes have not been inspected yet. */
  readonly sha256: string | null;
  /** Where the same bytes are after their inspection. */
  readonly later: BlobKey | null;
}

/** A blob that is in the backup. */
export interface BackedUpBlob {
  readonly key: BlobKey;
  /** The file of the folder of backups that contains it; absent if that has the name of the blob. */
  readonly file?: BlobKey;
  /** Size of that file. */
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A row of the snapshot whose bytes are not in the backup. */
export interface MissedBlob extends Pick<NeededBlob, 'customerId' | 'id' | 'importId' | 'key'> {
  /**
   * `deleted`: the row has been deleted in the meantime; `lost`: it has not, but its bytes are missing; `damaged`: the bytes do not match
   * the row.
   */
  readonly why: 'deleted' | 'lost' | 'damaged';
}

/** Bytes that are passed on in another form, in pieces, however many there are. */
export type Conversion = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** The files of blobs in a folder of backups: those of all its backups. */
export interface BlobFiles {
  /** Returns what an earlier backup has of a blob, without reading it; null if there is nothing that may be relied on. */
  find(blob: NeededBlob): Promise<BackedUpBlob | null>;
  /** Errors: those of the bytes, with nothing written. */
  add(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BackedUpBlob>;
}

export interface BlobBackup {
  /** Where the service stores them, and where they are backed up. */
  readonly from: BlobStore;
  readonly to: BlobFiles;
  /** Blobs that are copied at the same time. */
  readonly parallel: number;
  readonly onBackedUp: (blob: BackedUpBlob, copied: boolean) => Promise<void>;
  readonly onMissed: (blob: MissedBlob) => Promise<void>;
}
