import { isIP } from 'node:net';
import type { Addresses, PasskeySite, UploadAddress } from '../core/shared/addresses.js';

/** Paths of controllers whose addresses are handed out, each followed by a token. */
export const UPLOADS_PATH = 'uploads';
export const RENDITIONS_PATH = 'renditions';
/** Its addresses are made by clients. */
export const DELIVERY_PATH = 'img';
/** Pages for visitors, and all that they need. */
export const SHARES_PATH = 's';
export const SIGN_IN_LINKS_PATH = 'settings/enter';
export const EMAIL_LINKS_PATH = 'settings/confirm-email';

/** Whether a path is one of those for which the signature is the permission. */
export function isSignedPath(path: string): boolean {
  return [UPLOADS_PATH, RENDITIONS_PATH, DELIVERY_PATH].some((each) => path.startsWith(`/${each}/`));
}

/** The addresses of this installation under PUBLIC_URL. */
export class PublicAddresses implements Addresses {
  readonly passkeySite: PasskeySite | null;
  readonly basePath: string;

  /** @param publicUrl Without a trailing slash. */
  constructor(readonly publicUrl: string) {
    const { protocol, hostname, origin, pathname } = new URL(publicUrl);
    const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
    const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
    this.passkeySite = !isAddress && (protocol === 'https:' || isHere) ? { id: hostname, origin } : null;
    this.basePath = pathname.replace(/\/$/, '');
  }

  upload(token: string, sizeBytes: number): UploadAddress {
    return { url: this.under(UPLOADS_PATH, token), headers: { 'content-length': String(sizeBytes) } };
  }

  rendition(token: string): string {
    return this.under(RENDITIONS_PATH, token);
  }

  signIn(token: string): string {
    return this.under(SIGN_IN_LINKS_PATH, token);
  }

  confirmEmail(token: string): string {
    return this.under(EMAIL_LINKS_PATH, token);
  }

  settings(): string {
    return `${this.publicUrl}/settings`;
  }

  share(token: string): string {
    return this.under(SHARES_PATH, token);
  }

  private under(path: string, token: string): string {
    return `${this.publicUrl}/${path}/${token}`;
  }
}
