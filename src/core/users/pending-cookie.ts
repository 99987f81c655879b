import type { Id } from '../shared/ids.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';

interface PendingPayload {
  /** The customer. */
  readonly c: Id;
  readonly t: string;
}

/** The cookie of a browser whose person still has to give the second factor. It says whose it is, so that only that customer is asked. */
export function newPendingCookie(secrets: Secrets, customerId: Id, token: string): string {
  const payload: PendingPayload = { c: customerId, t: token };
  return signToken(secrets, 'pending', payload);
}

export function readPendingCookie(secrets: Secrets, cookie: string): { customerId: Id; token: string } | null {
  const payload = readToken(secrets, 'pending', cookie) as PendingPayload | null;
  return payload && { customerId: payload.c, token: payload.t };
}
