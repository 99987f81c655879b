import { MINUTE } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { User } from './user.js';

/** A key pair of a person, whose private half stays in a device or a password manager, for this site only. */
export interface Passkey {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** The person's own name for it. */
  readonly name: string;
  /** As the device named it, in base64url. */
  readonly credentialId: string;
  /** In base64url. It is no secret: it only checks what the other half signed. */
  readonly publicKey: string;
  /** How often the device has signed, as of the last time; zero of devices that do not count. */
  readonly counter: number;
  /** It lets the person in by itself, without the password. */
  readonly signsInAlone: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

export type NewPasskey = Omit<Passkey, 'customerId' | 'id'>;

/** Signatures that passkeys may make, best first: Ed25519, ECDSA with P-256, RSA (numbers of COSE). */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];

/** How long there is to answer a challenge. */
export const CHALLENGE_MS = 5 * MINUTE;

/** What a browser sends of a passkey. */
export interface PasskeyAnswer {
  /** As the browser words it. */
  readonly answer: string;
  /** The cookie of the challenge. */
  readonly challenge: string;
}

/** What a device stores with a passkey, and presents to say whose it is. */
export function userHandle({ customerId, id }: Pick<User, 'customerId' | 'id'>): string {
  return `${customerId}.${id}`;
}

/** Whose handle this claims to be; null when it is none of ours. */
export function readUserHandle(handle: string): { readonly customerId: Id; readonly userId: Id } | null {
  const [, customerId, userId] = /^(\d{1,15})\.(\d{1,15})$/.exec(handle) ?? [];
  return customerId && userId ? { customerId: Number(customerId), userId: Number(userId) } : null;
}
