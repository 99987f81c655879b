import { DomainError } from '../shared/errors.js';
import type { BlobKey } from './blob-key.js';
import type { BlobFile, ByteRange, OpenBlob } from './blob-store.js';

/** The bytes that a blob must have. */
export interface ExpectedBytes {
  readonly sizeBytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

/**
 * Blobs whose bytes are compared with their hash. An implementation may remember which bytes were right, as long as it can tell that nothing has
 * written to them since, and hold blobs in memory that are often read. Errors of every method: `service_unavailable`, also of the blob store.
 */
export interface VerifiedBlobs {
  /** Writes a blob as `BlobStore.put` does. The caller hashes the bytes that it passes, and nothing else knows the key yet. */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The bytes of a blob, or a range of them. Null when it is absent, or has another size. If its bytes are not the expected ones, reading them
   * throws `lostBytes` instead of the last of them: a complete read is a correct one. A range cannot be compared by itself: all bytes are read
   * before it, unless they were found to be right, or the store could not tell whether they still are. Errors: RangeError when the range
   * is not within the blob.
   * @param expected Null: no hash was stored, and nothing is compared.
   */
  open(key: BlobKey, expected: ExpectedBytes | null, reading?: Reading): Promise<VerifiedBlob | null>;
  /** A blob that need not be read to know that its bytes are right. Null for any other, and when it is not a file of this machine. */
  file(key: BlobKey): Promise<BlobFile | null>;
  /** A blob that this process has put here, and that nothing has written to since. Null for any other, and when it is not a file of this machine. */
  writtenFile(key: BlobKey): Promise<BlobFile | null>;
}

export interface VerifiedBlob extends OpenBlob {
  /** All that `bytes` would give, if it is in memory as one piece and right: then `bytes` need not be read. Never write to it. */
  readonly inMemory?: Uint8Array | undefined;
}

export interface Reading {
  readonly range?: ByteRange | undefined;
  /** Whether it is not expected to be read again soon. */
  readonly isOnce?: boolean;
}

/** The bytes are not the expected ones, or there are none. */
export class LostBytes extends DomainError {
  constructor() {
    super('service_unavailable', 'The bytes of this photo are temporarily unavailable. Try again later.');
  }
}

export function lostBytes(): LostBytes {
  return new LostBytes();
}
