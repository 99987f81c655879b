import type { RateWindowStore } from '../../access/rolling-window.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock } from '../../shared/clock.js';
import { DomainError, invalid, requireFound } from '../../shared/errors.js';
import { hashRandomToken, type Secrets, unseal } from '../../shared/secrets.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { requireSignInBudget } from '../admission.js';
import type { PasswordHasher } from '../passwords.js';
import type { KnownSession, Session, SessionStore } from '../session.js';
import { accountOf, auditUser, type User, userActor } from '../user.js';
import { CODE_DIGITS, hashRecoveryCode, stepOfCode } from './one-time-code.js';
import {
  CHALLENGE_MS,
  challengeFor,
  openChallenge,
  type PasskeyAnswer,
  type PasskeyReader,
  userHandle,
} from './passkey.js';
import { WRONG_CODES, WRONG_CODES_MS } from './second-factor.js';

/** The field of a form in which a person is asked again. */
export const CONFIRMATION_FIELD = 'confirmation';

export interface ConfirmUses extends PasskeyUses {
  readonly sessions: SessionStore;
  readonly store: Transactional<'users' | 'factors' | 'audit'>;
  readonly passwords: PasswordHasher;
  readonly rateWindows: RateWindowStore;
}

/**
 * Takes the password of a person who is signed in and wants to do what a stolen cookie must not; of a person with a second factor a code or
 * a passkey, as the password may have been stolen, too. Guesses are counted per session. Errors: `invalid_request` of this field,
 * `rate_limited`.
 */
export async function confirmIdentity(
  uses: ConfirmUses,
  { session, user, hasFactor }: Pick<KnownSession, 'session' | 'user' | 'hasFactor'>,
  given: FactorAnswer,
  field = CONFIRMATION_FIELD,
): Promise<void> {
  await requireSignInBudget(uses, { account: accountOf(user), address: session.address, known: sourceOf(session) });
  if (hasFactor) {
    const checked = await checkAgain(uses, session, given);
    if (checked !== 'right') throw wrongAnswer(checked, given, field);
  } else if (typeof given !== 'string' || !(await uses.passwords.matches(user.passwordHash ?? '', given))) {
    throw wrongPassword(field);
  }
  await uses.sessions.confirm(session.tokenHash, uses.clock.now());
}

export function wrongPassword(field: string): DomainError {
  return invalid({ field, code: 'invalid_format', message: 'This is not your password.' });
}

function checkAgain(
  uses: ConfirmUses,
  { customerId, userId, id, address }: Session,
  given: FactorAnswer,
): Promise<CheckedAnswer> {
  return uses.store.transaction(customerId, async (transaction) => {
    const user = requireFound(await transaction.users.lock(userId), 'user');
    const purpose = challengeFor.confirmation({ customerId, id });
    const attempt = { given, purpose, source: sourceOf({ id }), address, at: uses.clock.now() };
    return checkFactor(uses, transaction, user, attempt);
  });
}

/** Guesses are counted per session: a thief's do not lock the person out. */
function sourceOf({ id }: Pick<Session, 'id'>): string {
  return `session:${id}`;
}

/** A one-time code or a recovery code, as typed; or what a passkey answered. */
export type FactorAnswer = string | PasskeyAnswer;

interface FactorAttempt {
  readonly given: FactorAnswer;
  /** The purpose that the challenge of a passkey must have. */
  readonly purpose: string;
  /** Wrong codes are counted by it. */
  readonly source: string;
  readonly address: string;
  readonly at: Date;
}

/**
 * Whether this is a one-time or recovery code of the person, or a passkey's, and uses it up. The user is locked, so that codes are checked
 * one after another. A wrong one is stored: the transaction must not fail for it.
 */
export async function checkFactor(
  uses: PasskeyUses,
  transaction: Transaction<'factors' | 'audit'>,
  user: User,
  { given, purpose, source, address, at }: FactorAttempt,
): Promise<CheckedAnswer> {
  const { factors, audit } = transaction;
  if (typeof given !== 'string') {
    const isRight = await checkPasskey(uses, transaction, user, { given, purpose, alone: false, address });
    return isRight ? 'right' : 'wrong';
  }
  const code = given.replace(/[\s-]/g, '');
  if (code.length === CODE_DIGITS && /^\d+$/.test(code)) {
    const since = after(at, -WRONG_CODES_MS);
    if ((await factors.countWrongCodes(user.id, source, since)) >= WRONG_CODES) return 'too_many';
    for (const app of await factors.appsOf(user.id)) {
      const secret = unseal(uses.secrets, 'factor', app.secret);
      const step = secret === null ? null : stepOfCode(secret, code, at);
      if (step !== null && (await factors.useStep(app.id, step, at))) return 'right';
    }
    await factors.addWrongCode(user.id, source, at, since);
    return 'wrong';
  }
  if (!(await factors.useRecoveryCode(user.id, hashRecoveryCode(code)))) return 'wrong';
  await auditUser(audit, userActor(user, address), user, { action: 'user.recovery_code_used', at });
  return 'right';
}

/** The error of an answer that was not right: `invalid_request` of this field, or `rate_limited`. */
export function wrongAnswer(checked: Exclude<CheckedAnswer, 'right'>, given: FactorAnswer, field: string): DomainError {
  if (typeof given !== 'string') {
    // Whatever was wrong with it: a stranger learns nothing.
    const message = 'This passkey was not accepted. Try again, or enter a code instead.';
    return invalid({ field, code: 'invalid_format', message });
  }
  if (checked === 'too_many') {
    return new DomainError('rate_limited', 'Too many wrong codes within 24 hours. Enter a recovery code instead.');
  }
  const message = 'This code is wrong, or has been used. Wait for the next one, or enter a recovery code.';
  return invalid({ field, code: 'invalid_format', message });
}

type CheckedAnswer = 'right' | 'wrong' | 'too_many';

export interface PasskeyUses {
  readonly passkeys: PasskeyReader;
  readonly addresses: Pick<Addresses, 'passkeySite'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * Whether a passkey of this person answered the challenge, which is used up, right or wrong. The user is locked. The transaction must not
 * fail for a wrong one. `alone`: nothing else shows who it is, so only a passkey that may be used so, and whose device has checked the person.
 */
export async function checkPasskey(
  uses: PasskeyUses,
  { factors, audit }: Transaction<'factors' | 'audit'>,
  user: User,
  attempt: Pick<FactorAttempt, 'purpose' | 'address'> & { readonly given: PasskeyAnswer; readonly alone: boolean },
): Promise<boolean> {
  const { given, purpose, alone, address } = attempt;
  const { passkeySite: site } = uses.addresses;
  const challenge = openChallenge(uses, given.challenge, purpose);
  const claim = uses.passkeys.claimOf(given.answer);
  if (site === null || challenge === null || claim === null) return false;
  const at = uses.clock.now();
  if (!(await factors.useChallenge(user.id, hashRandomToken(challenge), at, after(at, -CHALLENGE_MS)))) return false;
  const passkey = await factors.findPasskey(claim.credentialId);
  const isOwn = passkey?.userId === user.id && (claim.userHandle ?? userHandle(user)) === userHandle(user);
  if (!isOwn || (alone && !passkey.signsInAlone)) return false;
  const signed = await uses.passkeys.check(given.answer, { challenge, site, mustVerifyUser: alone }, passkey);
  if (signed === null) return false;
  if (await factors.useCounter(passkey.id, signed.counter, at)) return true;
  await auditUser(audit, userActor(user, address), user, { action: 'user.passkey_refused', at });
  return false;
}
