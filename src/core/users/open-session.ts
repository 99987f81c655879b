import { hashRandomToken } from '../shared/random-token.js';
import { truncate } from '../shared/text.js';
import type { NewSession } from './session.js';

/** The browser in which somebody signs in. */
export interface Browser {
  /** The content of its cookie. */
  readonly token: string;
  /** IP address that the request came from. */
  readonly address: string;
  /** The same, for IP lists: null if a proxy did not report the address of its client. */
  readonly namedAddress: string | null;
  readonly userAgent: string;
}

/** What is stored of the name that a browser gives itself. */
const MAX_USER_AGENT = 300;

/** The session to store for a browser that signs in; `byLink`: with a one-time link, not with a password. */
export function newSession({ token, address, userAgent }: Browser, startedAt: Date, byLink: boolean): NewSession {
  const tokenHash = hashRandomToken(token);
  const browser = truncate(userAgent, MAX_USER_AGENT);
  return { tokenHash, data: {}, startedAt, lastSeenAt: startedAt, confirmedAt: startedAt, address, browser, byLink };
}
