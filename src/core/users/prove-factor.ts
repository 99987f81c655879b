import { DomainError, invalid } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import type { PasskeyAnswer } from './passkey.js';
import { type Proof, proveCode } from './prove-code.js';
import { type PasskeyUses, provePasskey } from './prove-passkey.js';
import type { User } from './user.js';

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
 * Whether this is a code of the person, or a passkey's, and uses it up. The user is locked, so that codes are checked one after another. A
 * wrong one is stored: the transaction must not fail for it.
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
