import { requireFound } from '../../shared/errors.js';
import type { Transactional } from '../../shared/transactional.js';
import { type ConfirmUses, confirmIdentity, wrongPassword } from '../factors/confirm-identity.js';
import type { FactorAnswer } from '../factors/prove.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { PasswordStrength } from '../passwords.js';
import { maySetPassword, type Session } from '../session.js';
import { auditSubject, requireGoodPassword, userActor, withoutLink } from '../user.js';

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

const FIELD = 'current';

interface PasswordChange {
  /**
   * The password or, of a person with a second factor, a code or passkey. Ignored in the first minutes of a session that began with a
   * one-time link.
   */
  readonly current: FactorAnswer;
  readonly password: string;
}
