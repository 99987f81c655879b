/** Where a client sends bytes, and what it has to send with them. Core hands it on as it is. */
export interface UploadAddress {
  readonly url: string;
  /** To be sent exactly like this. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The site that passkeys are bound to. */
export interface PasskeySite {
  /** The domain name. */
  readonly id: string;
  /** Origin of the pages on which they are used: scheme, name and port. */
  readonly origin: string;
}

/**
 * Addresses of this installation that work without a key, because a token in them does. Core decides what a token grants; what an address
 * looks like is only known to those who serve it.
 */
export interface Addresses {
  /** Where clients reach this installation. Without a trailing slash. */
  readonly publicUrl: string;
  /** The path of that, without a trailing slash; empty if it has none. */
  readonly basePath: string;
  /** Accepts this many bytes. */
  upload(token: string, sizeBytes: number): UploadAddress;
  /** Shows a rendition. */
  rendition(token: string): string;
  /** Signs a person in, once. */
  signIn(token: string): string;
  /** Confirms an e-mail address. */
  confirmEmail(token: string): string;
  /** Shows the photos of a share. */
  share(token: string): string;
  /** The settings area, where people sign in. */
  settings(): string;
  /** Null where browsers offer no passkeys: they need a name, not an IP address, and an encrypted connection or this very machine. */
  readonly passkeySite: PasskeySite | null;
}
