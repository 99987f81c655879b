import type { BlobKey } from './blob-key.js';

export interface BlobInfo {
  readonly sizeBytes: number;
  /** Changes whenever the blob is rewritten. Opaque. */
  readonly etag: string;
}

/** The facts that a store can tell about a blob without reading it. */
export interface BlobState {
  /** Another one after anything has written to the blob, whether this service or another program. Opaque. */
  readonly fingerprint: string;
  /** When anything last wrote to it, or later. */
  readonly changedAt: Date;
}

/** Inclusive, both within the blob. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBlob extends BlobInfo {
  /**
   * The bytes, or the range of them. Read it to the end or return() it: it holds a file or a connection. It throws rather than end early,
   * and also when it is read a second time.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /**
   * Returns a chunk of `bytes` that will not be used again; a later chunk, of any blob, may then use the same memory. A chunk that is not
   * returned remains valid. Absent if it would save nothing.
   */
  readonly release?: ((piece: Uint8Array) => void) | undefined;
  /** When it was opened. Absent if other programs could change the bytes, in the store or on the way, without a trace. */
  readonly state?: BlobState | undefined;
}

/** A blob that is a file of this machine. Never write to it. */
export interface BlobFile extends BlobInfo {
  readonly path: string;
  readonly state: BlobState;
}

export interface ListedBlob {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** When it was put, or copied to this key; or later. Never earlier: old unowned blobs are removed. */
  readonly modifiedAt: Date;
}

/** Free space where blobs are stored, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Bytes of it that uploads leave free; null, or absent, if the operator has not chosen. */
  readonly minFreeBytes?: number | null;
}

export interface Durability {
  /**
   * Whether the change survives a power failure once it is reported; default true. A blob that is put without may afterwards be absent,
   * shorter, or have other bytes: only for one that can be made again, and whose readers compare it. What is deleted without may be back.
   */
  readonly isDurable?: boolean;
}

/**
 * Bytes by key. A blob is whole or absent, whatever fails at whatever moment. A text that is not a key (`isBlobKey`) is refused with an
 * Error. No key is a prefix of another (`a/b` and `a/b/c`). Errors: `service_unavailable` from every method when the store is unavailable,
 * full or broken; absence is never reported for it.
 */
export interface BlobStore {
  /**
   * Writes a blob. When it resolves the bytes survive a power failure. Readers see the previous blob or all of the new bytes. When `bytes`
   * throws, put throws the same error, and nothing is left behind. An existing blob is replaced atomically.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>, durability?: Durability): Promise<BlobInfo>;
  /**
   * Null when absent. A reader that has begun sees its blob to the end even if it is replaced or deleted in the meantime. Errors:
   * RangeError when the range is not within the blob.
   */
  get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null>;
  /** @param isSeenLately Whether the caller has seen the blob lately, and asks only whether it has changed: a store may then look in a way that would be slow for another. */
  head(key: BlobKey, isSeenLately?: boolean): Promise<BlobInfo | null>;
  /** Null when the blob is absent, and when it is not a file of this machine. */
  file(key: BlobKey): Promise<BlobFile | null>;
  /**
   * Copies, as durably as put, if the source still has this etag. False, with nothing written, when it is absent or has changed. Source and
   * copy are independent: replacing or deleting one does not affect the other.
   */
  copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean>;
  /** Absent keys are ignored. */
  delete(keys: readonly BlobKey[], durability?: Durability): Promise<void>;
  /** Every blob whose key begins with a prefix, which ends with `/` or `-`; in no order. Blobs that are added or removed meanwhile may be missed. */
  list(prefix: string): AsyncIterable<ListedBlob>;
  /**
   * Frees the space of unfinished puts, which are not blobs and are not listed: those that began at `until` or before, where the store cannot
   * tell by itself which are abandoned. A put that is still in progress after that time may fail with `service_unavailable`. Blobs are not
   * affected.
   */
  sweep(until: Date): Promise<void>;
  /** Null when there is no disk of known size, as in a bucket. */
  diskSpace(): Promise<DiskSpace | null>;
}
