import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import type { PasswordHasher } from './password-hasher.js';
import { maySetPassword, type Session } from './session.js';
import { requireSignInBudget } from './sign-in-attempts.js';
import { auditSubject, type CommonPasswords, requireGoodPassword, userActor } from './user.js';

interface PasswordChange {
  /** Ignored in the first minutes of a session that began with a one-time link. */
  readonly current: string;
  readonly password: string;
}

/**
 * Sets the caller's password; all their other browsers are signed out. Guesses at the current one are counted per session. Errors:
 * `invalid_request`, `rate_limited`, `not_found`.
 */
export async function changePassword(
  uses: {
    store: Transactional<'users' | 'audit'>;
    passwords: PasswordHasher;
    commonPasswords: CommonPasswords;
    rateWindows: RateWindowStore;
    clock: Clock;
  },
  session: Pick<Session, 'customerId' | 'userId' | 'id' | 'byLink' | 'startedAt'>,
  { current, password }: PasswordChange,
  address: string,
): Promise<void> {
  const { store, passwords, clock } = uses;
  const user = requireFound(await store.query(session.customerId, ({ users }) => users.get(session.userId)), 'user');
  if (!maySetPassword(session, clock.now())) {
    // The caller is signed in and so is not a stranger: guesses of others do not count here.
    const account = user.email ?? `user ${user.id}`;
    await requireSignInBudget(uses, { account, address, known: `session:${session.id}` });
    if (!(await passwords.matches(user.passwordHash ?? '', current))) throw wrongPassword();
  }
  requireGoodPassword(password, user, uses.commonPasswords);
  const passwordHash = await passwords.hash(password);
  await store.transaction(session.customerId, async ({ users, audit }) => {
    const held = requireFound(await users.lock(session.userId), 'user');
    // Another browser was faster: the password that was compared is no longer valid.
    if (held.passwordHash !== user.passwordHash) throw wrongPassword();
    await users.update({ ...held, passwordHash, linkHash: null, linkExpiresAt: null });
    await users.endSessions(session.userId, session.id);
    await audit.add(userActor(held, address), {
      action: 'user.password_changed',
      subject: auditSubject(held),
      at: clock.now(),
    });
  });
}

function wrongPassword() {
  return invalid({ field: 'current', code: 'invalid_format', message: 'This is not your current password.' });
}
