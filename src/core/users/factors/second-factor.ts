import { DAY, MINUTE } from '../../shared/clock.js';
import { DomainError, invalid } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { readToken, type Secrets, signToken } from '../../shared/secrets.js';
import { cleanText, codePoints } from '../../shared/text.js';
import type { Role } from '../user.js';
import type { NewPasskey, Passkey } from './passkey.js';

export interface AuthenticatorApp {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** The person's own name for it. */
  readonly name: string;
  /** The secret that it shares with the service, encrypted. */
  readonly secret: string;
  /** The time step of the last code that was accepted: neither that code nor an earlier one is accepted again. */
  readonly lastStep: number;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

export type NewAuthenticatorApp = Omit<AuthenticatorApp, 'customerId' | 'id'>;

/** A person who has given the right password, or opened a link, and not yet the second factor. It opens no page. */
export interface PendingSignIn {
  readonly customerId: Id;
  readonly userId: Id;
  /** SHA-256 of the cookie's value. */
  readonly tokenHash: string;
  readonly startedAt: Date;
  /** Where it came from, if the person is known to sign in there; empty for any other source. */
  readonly source: string;
  /** It started with a one-time link, not with a password. */
  readonly byLink: boolean;
  /** Wrong codes so far. */
  readonly tries: number;
}

export type NewPendingSignIn = Omit<PendingSignIn, 'customerId' | 'tries'>;

/** Apps and passkeys together. */
export const MAX_FACTORS = 10;
export const MAX_FACTOR_NAME = 60;

/** The time there is to give the second factor. */
export const PENDING_MS = 10 * MINUTE;
/** After so many wrong codes it starts again with the password. */
export const PENDING_TRIES = 5;

export function isPending({ startedAt, tries }: Pick<PendingSignIn, 'startedAt' | 'tries'>, now: Date): boolean {
  return tries < PENDING_TRIES && now.getTime() - startedAt.getTime() < PENDING_MS;
}

export function pendingOver(): DomainError {
  const message = 'This took too long, or too many codes were wrong. Sign in with your password again.';
  return new DomainError('unauthorized', message);
}

/**
 * Wrong one-time codes of a person from one source in this time. Three of a million codes are valid at any time, so an attacker who has the
 * password and guesses for a year succeeds with a probability of two percent. Recovery codes do not count: no one is locked out.
 */
export const WRONG_CODES = 20;
export const WRONG_CODES_MS = DAY;

/** Errors: `invalid_request`. */
export function readFactorName(text: string): string {
  const name = cleanText(text);
  if (name !== '' && codePoints(name) <= MAX_FACTOR_NAME) return name;
  const code = name === '' ? 'required' : 'too_long';
  const message = `Enter a name of at most ${MAX_FACTOR_NAME} characters, such as “Phone”.`;
  throw invalid({ field: 'name', code, message, max: MAX_FACTOR_NAME });
}

/** Second factors of the people of the bound customer. */
export interface FactorReads {
  /** The authenticator apps of a person, oldest first. */
  appsOf(userId: Id): Promise<readonly AuthenticatorApp[]>;
  /** Returns the apps of everyone, by id. */
  listApps(): Promise<readonly AuthenticatorApp[]>;
  /** The passkeys of a person, oldest first. */
  passkeysOf(userId: Id): Promise<readonly Passkey[]>;
  /** The person of this customer who has it; null when no one does. */
  findPasskey(credentialId: string): Promise<Passkey | null>;
  /** The number of a person's apps and passkeys. */
  countFactors(userId: Id): Promise<number>;
  /** The number of a person's recovery codes that have not been used. */
  countRecoveryCodes(userId: Id): Promise<number>;
  /** Wrong one-time codes of a person from this source since then. */
  countWrongCodes(userId: Id, source: string, since: Date): Promise<number>;
  /** Null when it does not exist. Expired ones are returned: the caller checks. */
  findPending(tokenHash: string): Promise<PendingSignIn | null>;
}

/** A transaction that changes a person's factors holds the lock on the user. */
export interface FactorRepository extends FactorReads {
  /** Errors: `not_found` when the user does not exist. */
  insertApp(app: NewAuthenticatorApp): Promise<AuthenticatorApp>;
  /** False when the person has no such app. */
  deleteApp(userId: Id, id: Id): Promise<boolean>;
  /** Accepts the code of this time step. False, with nothing stored, when one of this step or a later one was accepted before. */
  useStep(id: Id, step: number, at: Date): Promise<boolean>;
  /** Null, with nothing stored, when a person of this customer has this passkey. Errors: `not_found` as above. */
  insertPasskey(passkey: NewPasskey): Promise<Passkey | null>;
  /** False when the person has no such passkey. */
  deletePasskey(userId: Id, id: Id): Promise<boolean>;
  /** Accepts a counter that is higher than the last one, or still zero. False, with nothing stored, for any other. */
  useCounter(id: Id, counter: number, at: Date): Promise<boolean>;
  /**
   * Records that a challenge was answered, and forgets those of this person from before `since`. False when it had been answered before: of
   * two calls, one gets true. Errors: `not_found` as above.
   */
  useChallenge(userId: Id, challengeHash: string, at: Date, since: Date): Promise<boolean>;
  /** Replaces the encrypted secret, unless another has taken its place meanwhile. */
  replaceSecret(app: Pick<AuthenticatorApp, 'id' | 'secret'>, secret: string): Promise<void>;
  /** Replaces all recovery codes of a person. Errors: `not_found` when the user does not exist. */
  setRecoveryCodes(userId: Id, hashes: readonly string[]): Promise<void>;
  /** Uses one up. False when the person has no such code: of two calls, one gets true. */
  useRecoveryCode(userId: Id, hash: string): Promise<boolean>;
  /** Records a wrong one-time code, and forgets those of this person from before `since`. */
  addWrongCode(userId: Id, source: string, at: Date, since: Date): Promise<void>;
  /** Stores it, and forgets those of this person that started before `since`. Errors: `not_found` as above. */
  openPending(pending: NewPendingSignIn, since: Date): Promise<void>;
  /** Counts a wrong code. */
  countTry(tokenHash: string): Promise<void>;
  endPending(tokenHash: string): Promise<void>;
  /** Ends all of a person. */
  endPendingOf(userId: Id): Promise<void>;
  /** Removes everything of a person: apps, passkeys, recovery codes, sign-ins that wait for a code. Returns how many apps and passkeys. */
  deleteAll(userId: Id): Promise<number>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly factors: FactorReads;
  }
  interface Repositories {
    readonly factors: FactorRepository;
  }
}

/** The content of the cookie of a browser whose person still has to give the second factor. */
interface PendingCookie {
  /** Whose it is, so that only that customer is asked. */
  readonly customerId: Id;
  readonly token: string;
  /** The role that groups at a provider give once the sign-in is complete; null: the person keeps their own. */
  readonly role: Role | null;
}

export function newPendingCookie(secrets: Secrets, content: PendingCookie): string {
  return signToken(secrets, 'pending', content);
}

/** Null when it was not made here, or by an earlier version in another form. */
export function readPendingCookie(secrets: Secrets, cookie: string): PendingCookie | null {
  const content = readToken(secrets, 'pending', cookie) as Partial<PendingCookie> | null;
  return typeof content?.token === 'string' ? (content as PendingCookie) : null;
}
