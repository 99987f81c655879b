import type { UploadAddress } from '../shared/addresses.js';
import type { BlobKey } from './blob-key.js';

/** A blob that a client is to upload. */
export interface ExpectedBlob {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** 64 hex digits; null when the client did not send it. */
  readonly sha256: string | null;
}

/** A blob store that clients reach directly: their bytes need not pass through this service. */
export interface DirectUploads {
  /**
   * For each blob, in order, an address that accepts an upload to its key for `seconds`, and gives no access to other keys and no permission
   * to read. An interrupted upload leaves nothing. Not every store binds the length, or compares the hash, so the bytes must be inspected
   * before they are relied on. Signs without contacting the store, and yields to other work in between.
   */
  sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly UploadAddress[]>;
  /** The origin of every address that it signs, for pages that must declare where their scripts connect. */
  origin(): Promise<string>;
}
