import type { PasskeySite } from '../../shared/addresses.js';
import { after, type Clock, MINUTE } from '../../shared/clock.js';
import type { Id } from '../../shared/ids.js';
import { hashRandomToken, newRandomToken, readToken, type Secrets, signToken } from '../../shared/secrets.js';
import type { Session } from '../session.js';
import type { User } from '../user.js';

/** A key pair of a person, whose private half stays in a device or a password manager, for this site only. */
export interface Passkey {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** The person's own name for it. */
  readonly name: string;
  /** The name that the device gave it, in base64url. */
  readonly credentialId: string;
  /** In base64url. It is no secret: it only checks what the other half signed. */
  readonly publicKey: string;
  /** Number of times that the device has signed, as of the last time; zero for devices that do not count. */
  readonly counter: number;
  /** It lets the person in by itself, without the password. */
  readonly signsInAlone: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

export type NewPasskey = Omit<Passkey, 'customerId' | 'id'>;

/** Signatures that passkeys may make, best first: Ed25519, ECDSA with P-256, RSA (numbers of COSE). */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];

/** The time there is to answer a challenge. */
export const CHALLENGE_MS = 5 * MINUTE;

export interface PasskeyAnswer {
  /** The answer as the browser words it. */
  readonly answer: string;
  /** The cookie of the challenge. */
  readonly challenge: string;
}

/** Returns what a device stores with a passkey, and presents to say whose it is. */
export function userHandle({ customerId, id }: Pick<User, 'customerId' | 'id'>): string {
  return `${customerId}.${id}`;
}

/** Whose handle this claims to be; null when it is none of ours. */
export function readUserHandle(handle: string): { readonly customerId: Id; readonly userId: Id } | null {
  const [, customerId, userId] = /^(\d{1,15})\.(\d{1,15})$/.exec(handle) ?? [];
  return customerId && userId ? { customerId: Number(customerId), userId: Number(userId) } : null;
}

type ChallengeUses = { readonly secrets: Secrets; readonly clock: Clock };

/** The content of its cookie. */
interface Challenge {
  readonly challenge: string;
  readonly purpose: string;
  /** When it expires, in milliseconds. */
  readonly until: number;
}

/** The purposes of challenges: an answer to one is none to another. */
export const challengeFor = {
  signIn: () => 'sign_in',
  secondStep: (pendingToken: string) => `second_step:${hashRandomToken(pendingToken)}`,
  confirmation: (session: Pick<Session, 'customerId' | 'id'>) => `confirmation:${session.customerId}:${session.id}`,
  adding: (session: Pick<Session, 'customerId' | 'id'>, signsInAlone: boolean) =>
    `adding:${session.customerId}:${session.id}:${signsInAlone}`,
} as const;

/**
 * A new challenge, with the cookie for the browser that was asked: without it no answer counts. Nothing is stored until it is answered, so
 * that no one can fill the database by asking.
 */
export function newChallenge({ secrets, clock }: ChallengeUses, purpose: string) {
  const content: Challenge = {
    challenge: newRandomToken(),
    purpose,
    until: after(clock.now(), CHALLENGE_MS).getTime(),
  };
  return { challenge: content.challenge, cookie: signToken(secrets, 'passkey', content) };
}

/** The challenge of a cookie; null when it is over, or was for something else. */
export function openChallenge({ secrets, clock }: ChallengeUses, cookie: string, purpose: string): string | null {
  const content = readToken(secrets, 'passkey', cookie) as Challenge | null;
  return content?.purpose === purpose && content.until > clock.now().getTime() ? content.challenge : null;
}

/** The conditions that an answer must meet. */
export interface ExpectedAnswer {
  readonly challenge: string;
  readonly site: PasskeySite;
  /** The device must have checked that it is the person: by fingerprint, face or PIN. */
  readonly mustVerifyUser: boolean;
}

/** Understands what browsers send of passkeys (WebAuthn), and checks signatures. */
export interface PasskeyReader {
  /** Returns the passkey and the person that an answer claims to be from. Nothing is checked. Null when it is no answer. */
  claimOf(answer: string): { readonly credentialId: string; readonly userHandle: string | null } | null;
  /** A new passkey; null when the answer is not as expected. */
  readNew(answer: string, expected: ExpectedAnswer): Promise<PasskeyValues | null>;
  /** The counter of the device, for the caller to compare; null when the answer is not as expected, or not signed by this passkey. */
  check(
    answer: string,
    expected: ExpectedAnswer,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<Pick<Passkey, 'counter'> | null>;
}

export type PasskeyValues = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>;
