import type { BlobKey } from './blob-key.js';

export interface BlobInfo {
  readonly sizeBytes: number;
  /** Changes whenever the blob is written again. Opaque. */
  readonly etag: string;
}

/** Inclusive, both within the blob. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBlob extends BlobInfo {
  /**
   * The bytes, or the range of them. Read it to the end or return() it: it holds a file or a connection. It throws rather than
   * end short, and also when it is read a second time.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /**
   * Takes back a piece of `bytes` that nobody will look at again; a later piece, of any blob, may then be in the same memory. What is not
   * given back stays as it is. Absent where that saves nothing.
   */
  readonly release?: ((piece: Uint8Array) => void) | undefined;
}

export interface ListedBlob {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** When it was put, or copied to this key; or later. Never earlier: what is unowned and old is removed. */
  readonly modifiedAt: Date;
}

/** What is left where blobs are kept, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/**
 * Bytes by key. A blob is whole or absent, whatever fails at whatever moment.
 * A text that is no key (`isBlobKey`) is refused with an Error. No key lies below another (`a/b` and `a/b/c`).
 * Errors: `service_unavailable` from every method when the store is away, full or broken; absence is never reported for it.
 */
export interface BlobStore {
  /**
   * Writes a blob. When it resolves the bytes survive a power cut. Readers see what was there before or all of the new bytes.
   * When `bytes` throws, so does put (the same error), and nothing of it stays. An existing blob is replaced at once and whole.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo>;
  /**
   * Null when absent. A reader that has begun sees its blob to the end although it is replaced or deleted meanwhile.
   * Errors: RangeError when the range is not within the blob.
   */
  get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null>;
  head(key: BlobKey): Promise<BlobInfo | null>;
  /**
   * Copies, as durably as put, if the source still has this etag. False, and nothing written, when it is absent or another.
   * The copy lives on when the source is replaced or deleted, and the other way round.
   */
  copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean>;
  /** Absent keys are fine. */
  delete(keys: readonly BlobKey[]): Promise<void>;
  /** Every blob under a prefix, which ends with `/`; in no order. Blobs that come or go meanwhile may be missed. */
  list(prefix: string): AsyncIterable<ListedBlob>;
  /**
   * Frees the room of puts that nobody will finish, which are no blobs and in no list: those that began at `until` or before. A put that
   * is still going on after that time may fail with `service_unavailable`. Blobs stay as they are.
   */
  sweep(until: Date): Promise<void>;
  /** Null where there is no disk whose end is known, as in a bucket. */
  diskSpace(): Promise<DiskSpace | null>;
}
