import type { RateWindowStore } from '../../access/rolling-window.js';
import { type DomainError, invalid, requireFound } from '../../shared/errors.js';
import type { Transactional } from '../../shared/transactional.js';
import { requireSignInBudget } from '../admission.js';
import type { PasswordHasher } from '../passwords.js';
import { type KnownSession, type Session, type SessionStore } from '../session.js';
import { accountOf } from '../user.js';
import { challengeFor } from './passkey.js';
import { type FactorAnswer, type PasskeyUses, type Proof, proveFactor, requireProven } from './prove.js';

/** The field of a form in which a person is asked again. */
export const CONFIRMATION_FIELD = 'confirmation';

export interface ConfirmUses extends PasskeyUses {
  readonly sessions: SessionStore;
  readonly store: Transactional<'users' | 'factors' | 'audit'>;
  readonly passwords: PasswordHasher;
  readonly rateWindows: RateWindowStore;
}

/**
 * Takes the password of somebody who is signed in and wants to do what a stolen cookie must not; of a person with a second factor a code or
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
  if (hasFactor) requireProven(await proofOf(uses, session, given), given, field);
  else if (typeof given !== 'string' || !(await uses.passwords.matches(user.passwordHash ?? '', given))) {
    throw wrongPassword(field);
  }
  await uses.sessions.confirm(session.tokenHash, uses.clock.now());
}

export function wrongPassword(field: string): DomainError {
  return invalid({ field, code: 'invalid_format', message: 'This is not your password.' });
}

function proofOf(uses: ConfirmUses, { customerId, userId, id, address }: Session, given: FactorAnswer): Promise<Proof> {
  return uses.store.transaction(customerId, async (transaction) => {
    const user = requireFound(await transaction.users.lock(userId), 'user');
    const purpose = challengeFor.confirmation({ customerId, id });
    const attempt = { given, purpose, source: sourceOf({ id }), address, at: uses.clock.now() };
    return proveFactor(uses, transaction, user, attempt);
  });
}

/** Guesses are counted per session: a thief's do not lock the person out. */
function sourceOf({ id }: Pick<Session, 'id'>): string {
  return `session:${id}`;
}
