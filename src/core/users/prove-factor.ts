import { after } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import { unseal } from '../shared/sealed.js';
import type { Transaction } from '../shared/transactional.js';
import { CODE_DIGITS, stepOfCode } from './one-time-code.js';
import type { PasskeyAnswer } from './passkey.js';
import { type PasskeyUses, provePasskey } from './prove-passkey.js';
import { hashRecoveryCode } from './recovery-code.js';
import { WRONG_CODES, WRONG_CODES_MS } from './second-factor.js';
import { auditSubject, type User, userActor } from './user.js';

export type Proof = 'proven' | 'wrong' | 'too_many';

/** A one-time code or a recovery code, as typed; or what a passkey answered. */
export type FactorAnswer = string | PasskeyAnswer;

interface Given {
  readonly given: FactorAnswer;
  /** What the challenge of a passkey must be for. */
  readonly purpose: string;
  /** Wrong codes are counted by it. */
  readonly source: string;
  readonly address: string;
  readonly at: Date;
}

/**
 * Whether this is a code of the person, or a passkey's, and uses it up. The user is locked, so that codes are checked one after another. A wrong one is
 * stored: the transaction must not fail for it.
 */
export async function proveFactor(
  uses: PasskeyUses,
  transaction: Transaction<'factors' | 'audit'>,
  user: User,
  { given, purpose, source, address, at }: Given,
): Promise<Proof> {
  if (typeof given !== 'string') {
    const isProven = await provePasskey(uses, transaction, user, { given, purpose, alone: false, address });
    return isProven ? 'proven' : 'wrong';
  }
  const { factors, audit } = transaction;
  const code = given.replace(/[\s-]/g, '');
  if (new RegExp(`^\\d{${CODE_DIGITS}}$`).test(code)) {
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
