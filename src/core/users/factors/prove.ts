import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock } from '../../shared/clock.js';
import { DomainError, invalid } from '../../shared/errors.js';
import { hashRandomToken } from '../../shared/random.js';
import { type Secrets, unseal } from '../../shared/secrets.js';
import type { Transaction } from '../../shared/transactional.js';
import { auditSubject, type User, userActor } from '../user.js';
import { CODE_DIGITS, hashRecoveryCode, stepOfCode } from './one-time-code.js';
import { CHALLENGE_MS, openChallenge, type PasskeyAnswer, type PasskeyReader, userHandle } from './passkey.js';
import { WRONG_CODES, WRONG_CODES_MS } from './second-factor.js';

/** A one-time code or a recovery code, as typed; or what a passkey answered. */
export type FactorAnswer = string | PasskeyAnswer;

interface FactorAttempt {
  readonly given: FactorAnswer;
  /** What the challenge of a passkey must be for. */
  readonly purpose: string;
  /** Wrong codes are counted by it. */
  readonly source: string;
  readonly address: string;
  readonly at: Date;
}

/**
 * Whether this is a code of the person, or a passkey's, and uses it up. The user is locked, so that codes are checked one after another. A
 * wrong one is stored: the transaction must not fail for it.
 */
export async function proveFactor(
  uses: PasskeyUses,
  transaction: Transaction<'factors' | 'audit'>,
  user: User,
  { given, purpose, source, address, at }: FactorAttempt,
): Promise<Proof> {
  if (typeof given !== 'string') {
    const isProven = await provePasskey(uses, transaction, user, { given, purpose, alone: false, address });
    return isProven ? 'proven' : 'wrong';
  }
  return proveCode(uses, transaction, user, { given, source, address, at });
}

/** Errors: `invalid_request` of this field, `rate_limited`. */
export function requireProven(proof: Proof, given: FactorAnswer, field: string): void {
  if (proof === 'proven') return;
  if (typeof given !== 'string') throw passkeyRefused(field);
  if (proof === 'too_many') {
    throw new DomainError('rate_limited', 'Too many wrong codes within 24 hours. Enter a recovery code instead.');
  }
  const message = 'This code is wrong, or has been used. Wait for the next one, or enter a recovery code.';
  throw invalid({ field, code: 'invalid_format', message });
}

/** Whatever was wrong with it: a stranger learns nothing. */
function passkeyRefused(field: string): DomainError {
  const message = 'This passkey was not accepted. Try again, or enter a code instead.';
  return invalid({ field, code: 'invalid_format', message });
}

export type Proof = 'proven' | 'wrong' | 'too_many';

interface GivenCode {
  /** As typed. */
  readonly given: string;
  /** Wrong codes are counted by it. */
  readonly source: string;
  readonly address: string;
  readonly at: Date;
}

/** Whether this is a one-time code or a recovery code of the person, who is locked, and uses it up. */
async function proveCode(
  uses: { readonly secrets: Secrets },
  transaction: Transaction<'factors' | 'audit'>,
  user: User,
  { given, source, address, at }: GivenCode,
): Promise<Proof> {
  const { factors, audit } = transaction;
  const code = given.replace(/[\s-]/g, '');
  if (code.length === CODE_DIGITS && /^\d+$/.test(code)) {
    const since = after(at, -WRONG_CODES_MS);
    if ((await factors.countWrongCodes(user.id, source, since)) >= WRONG_CODES) return 'too_many';
    for (const app of await factors.appsOf(user.id)) {
      const secret = unseal(uses.secrets, 'factor', app.secret);
      const step = secret === null ? null : stepOfCode(secret, code, at);
      if (step !== null && (await factors.useStep(app.id, step, at))) return 'proven';
    }
    await factors.addWrongCode(user.id, source, at, since);
    return 'wrong';
  }
  if (!(await factors.useRecoveryCode(user.id, hashRecoveryCode(code)))) return 'wrong';
  const used = { action: 'user.recovery_code_used', subject: auditSubject(user), at } as const;
  await audit.add(userActor(user, address), used);
  return 'proven';
}

export interface PasskeyUses {
  readonly passkeys: PasskeyReader;
  readonly addresses: Pick<Addresses, 'passkeySite'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

interface PasskeyAttempt {
  readonly given: PasskeyAnswer;
  /** What the challenge must be for (`challengeFor`). */
  readonly purpose: string;
  /** Nothing else proves who it is: only a passkey that may be used so, and whose device has checked the person. */
  readonly alone: boolean;
  readonly address: string;
}

/**
 * Whether a passkey of this person answered the challenge, which is used up, right or wrong. The user is locked. The transaction must not
 * fail for a wrong one.
 */
export async function provePasskey(
  uses: PasskeyUses,
  { factors, audit }: Transaction<'factors' | 'audit'>,
  user: User,
  { given, purpose, alone, address }: PasskeyAttempt,
): Promise<boolean> {
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
  await audit.add(userActor(user, address), { action: 'user.passkey_refused', subject: auditSubject(user), at });
  return false;
}
