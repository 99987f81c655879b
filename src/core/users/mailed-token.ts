import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random-token.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { User } from './user.js';

interface Payload {
  readonly c: Id;
  readonly u: Id;
  /** The fingerprint. */
  readonly f: string;
  /** When it expires, in milliseconds. */
  readonly x: number;
  /** The new address. */
  readonly e?: string;
}

/**
 * What a link in a mail says. Nothing of it is stored, so a stranger who asks for many links makes none of them invalid: each is good until
 * the password or the address changes, which using one of them does.
 */
export interface MailedToken {
  readonly customerId: Id;
  readonly userId: Id;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** The address that it confirms; empty for a new password. */
  readonly email: string;
}

type MailedPurpose = 'recovery' | 'email';

export function newMailedToken(
  secrets: Secrets,
  purpose: MailedPurpose,
  user: User,
  expiresAt: Date,
  email?: string,
): string {
  const payload: Payload = {
    c: user.customerId,
    u: user.id,
    f: fingerprintOf(user),
    x: expiresAt.getTime(),
    ...(email !== undefined && { e: email }),
  };
  return signToken(secrets, purpose, payload);
}

/** Null when it was not made here for this purpose. */
export function readMailedToken(secrets: Secrets, purpose: MailedPurpose, token: string): MailedToken | null {
  const payload = readToken(secrets, purpose, token) as Payload | null;
  if (payload === null) return null;
  const { c: customerId, u: userId, f: fingerprint, x: expiresAt, e: email = '' } = payload;
  return { customerId, userId, fingerprint, expiresAt, email };
}

export function isMailedTokenOpen({ fingerprint, expiresAt }: MailedToken, user: User, now: Date): boolean {
  return fingerprint === fingerprintOf(user) && expiresAt > now.getTime();
}

/** Of what the person signs in with. It reveals nothing: the hash of a password contains random bits of its own. */
function fingerprintOf({ email, passwordHash }: User): string {
  return hashRandomToken(`${email}\n${passwordHash}`).slice(0, 32);
}
