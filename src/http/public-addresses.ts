import type { Addresses, UploadAddress } from '../core/shared/addresses.js';

/** Paths of controllers whose addresses are handed out, each followed by a token. */
export const UPLOADS_PATH = 'uploads';
export const RENDITIONS_PATH = 'renditions';
/** Its addresses are made by clients. */
export const DELIVERY_PATH = 'img';
/** Pages for visitors, and all that they need. */
export const SHARES_PATH = 's';
export const SIGN_IN_LINKS_PATH = 'settings/enter';

declare module '../core/ports.js' {
  interface Ports {
    /** Where clients reach this installation. Core knows it as `Addresses`. */
    readonly addresses: PublicAddresses;
  }
}

/** The addresses of this installation under PUBLIC_URL. */
export class PublicAddresses implements Addresses {
  /** @param publicUrl Without a trailing slash. */
  constructor(readonly publicUrl: string) {}

  upload(token: string, sizeBytes: number): UploadAddress {
    return { url: this.under(UPLOADS_PATH, token), headers: { 'content-length': String(sizeBytes) } };
  }

  rendition(token: string): string {
    return this.under(RENDITIONS_PATH, token);
  }

  signIn(token: string): string {
    return this.under(SIGN_IN_LINKS_PATH, token);
  }

  /** Shows the photos of a share. */
  share(token: string): string {
    return this.under(SHARES_PATH, token);
  }

  private under(path: string, token: string): string {
    return `${this.publicUrl}/${path}/${token}`;
  }
}
