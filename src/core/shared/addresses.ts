/** Where a client sends bytes, and what it has to send with them. Core hands it on as it is. */
export interface UploadAddress {
  readonly url: string;
  /** To be sent exactly like this. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Addresses of this installation that work without a key, because a token in them does. Core decides what a token grants; what an address
 * looks like is only known to those who serve it.
 */
export interface Addresses {
  /** Accepts this many bytes. */
  upload(token: string, sizeBytes: number): UploadAddress;
  /** Shows a rendition. */
  rendition(token: string): string;
  /** Signs a person in, once. */
  signIn(token: string): string;
}
