import type { BlobKey } from './blob-key.js';

/** A blob that a client is to bring. */
export interface ExpectedBlob {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** 64 hex digits; null when the client did not say. */
  readonly sha256: string | null;
}

/** Where and how. */
export interface SignedPut {
  readonly url: string;
  /** To be sent exactly so. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A blob store that clients reach by themselves: their bytes need not go through this service. */
export interface DirectUploads {
  /**
   * For each blob, in order, an address that takes a PUT of so many bytes for `seconds`, and nothing else: no other key, verb or length.
   * A PUT that is cut leaves nothing. Not every store compares the hash: who relies on the bytes looks at them. Signs without asking the store,
   * and lets other work go on between.
   */
  sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly SignedPut[]>;
  /** The origin of every address that it signs, for pages that must say where their scripts reach. */
  origin(): Promise<string>;
}
