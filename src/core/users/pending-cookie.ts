import type { Id } from '../shared/ids.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { Role } from './role.js';

interface PendingCookie {
  /** Whose it is, so that only that customer is asked. */
  readonly customerId: Id;
  readonly token: string;
  /** The role that groups at a provider give once the sign-in is complete; null: the person keeps their own. */
  readonly role: Role | null;
}

interface PendingPayload {
  readonly c: Id;
  readonly t: string;
  readonly r?: Role;
}

/** The cookie of a browser whose person still has to give the second factor. */
export function newPendingCookie(secrets: Secrets, { customerId, token, role }: PendingCookie): string {
  const payload: PendingPayload = { c: customerId, t: token, ...(role !== null && { r: role }) };
  return signToken(secrets, 'pending', payload);
}

export function readPendingCookie(secrets: Secrets, cookie: string): PendingCookie | null {
  const payload = readToken(secrets, 'pending', cookie) as PendingPayload | null;
  return payload && { customerId: payload.c, token: payload.t, role: payload.r ?? null };
}
