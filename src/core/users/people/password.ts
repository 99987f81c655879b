import type { RateWindowStore } from '../../access/rolling-window.js';
import { type DomainError, invalid, requireFound } from '../../shared/errors.js';
import type { Transactional } from '../../shared/transactional.js';
import { challengeFor } from '../factors/passkey.js';
import { type FactorAnswer, type PasskeyUses, type Proof, proveFactor, requireProven } from '../factors/prove.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { PasswordHasher, PasswordStrength } from '../passwords.js';
import { type KnownSession, maySetPassword, type Session, type SessionStore } from '../session.js';
import { requireSignInBudget } from '../sign-in/admission.js';
import { accountOf, auditSubject, requireGoodPassword, userActor, withoutLink } from '../user.js';

const FIELD = 'current';

interface PasswordChange {
  /**
   * The password or, of a person with a second factor, a code or passkey. Ignored in the first minutes of a session that began with a
   * one-time link.
   */
  readonly current: FactorAnswer;
  readonly password: string;
}

/**
 * Sets the caller's password; all their other browsers are signed out. Guesses at the current one, or at a code, are counted per session.
 * Errors: `invalid_request`, `rate_limited`, `not_found`.
 */
export async function changePassword(
  uses: Omit<ConfirmUses, 'store'> &
    NoticeUses & {
      store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
      passwordStrength: PasswordStrength;
    },
  session: Session,
  { current, password }: PasswordChange,
  address: string,
): Promise<void> {
  const { store, passwords, clock } = uses;
  const { user, hasFactor } = await store.query(session.customerId, async ({ users, factors }) => ({
    user: requireFound(await users.get(session.userId), 'user'),
    hasFactor: (await factors.countFactors(session.userId)) > 0,
  }));
  // First, because a code counts once: it should not be lost to a password that is refused anyway.
  await requireGoodPassword(uses, password, user);
  if (!maySetPassword({ session, user, hasFactor }, clock.now()))
    await confirmIdentity(uses, { session, user, hasFactor }, current, FIELD);
  const passwordHash = await passwords.hash(password);
  await store.transaction(session.customerId, async (transaction) => {
    const { users, factors, audit } = transaction;
    const held = requireFound(await users.lock(session.userId), 'user');
    // Another browser was faster: the password that was compared is no longer valid.
    if (held.passwordHash !== user.passwordHash) throw wrongPassword(FIELD);
    await users.update({ ...withoutLink(held), passwordHash });
    await users.endSessions(session.userId, session.id);
    await factors.endPendingOf(session.userId);
    const at = clock.now();
    await audit.add(userActor(held, address), { action: 'user.password_changed', subject: auditSubject(held), at });
    const here = { at, address, userAgent: session.browser };
    await notifyPerson(uses, transaction, held, { template: 'password_changed' }, here);
  });
}

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

function wrongPassword(field: string): DomainError {
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
