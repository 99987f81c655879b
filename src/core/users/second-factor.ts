import { DAY, MINUTE } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, codePoints } from '../shared/text.js';

/** An app of a person that shows one-time codes. */
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
  /** It began with a one-time link, not with a password. */
  readonly byLink: boolean;
  /** Wrong codes so far. */
  readonly tries: number;
}

export type NewPendingSignIn = Omit<PendingSignIn, 'customerId' | 'tries'>;

/** Apps and passkeys together. */
export const MAX_FACTORS = 10;
export const MAX_FACTOR_NAME = 60;

/** How long there is to give the second factor. */
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
 * Wrong one-time codes of a person from one source in this time. Three of a million codes are valid at any time, so somebody who has the
 * password and guesses for a year succeeds with a probability of two percent. Recovery codes do not count: nobody is locked out.
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
