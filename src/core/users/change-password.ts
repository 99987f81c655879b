import type { Uses } from '../ports.js';
import { found, invalid } from '../shared/errors.js';
import { demandAttempt } from './attempts.js';
import type { Session } from './session.js';
import { demandGoodPassword, named } from './user.js';

interface PasswordChange {
  /** Ignored while the user has none. */
  readonly current: string;
  readonly password: string;
}

/**
 * Sets the password of whoever asks; every other browser of theirs is signed out. Guesses at the current one are counted with those of
 * the sign-in. Errors: `invalid_request`, `rate_limited`, `not_found`.
 */
export async function changePassword(
  uses: Uses<'store' | 'passwords' | 'rateWindows' | 'clock'>,
  session: Pick<Session, 'customerId' | 'userId' | 'id'>,
  { current, password }: PasswordChange,
  address: string,
): Promise<void> {
  const { store, passwords, clock } = uses;
  const user = found(await store.read(session.customerId, ({ users }) => users.get(session.userId)), 'user');
  if (user.passwordHash !== null) await demandAttempt(uses, user.email ?? `user ${user.id}`, address);
  if (user.passwordHash !== null && !(await passwords.matches(user.passwordHash, current))) {
    const message = 'This is not your current password.';
    throw invalid({ field: 'current', code: 'invalid_format', message });
  }
  demandGoodPassword(password, user);
  const passwordHash = await passwords.hash(password);
  await store.within(session.customerId, async ({ users, audit }) => {
    const held = found(await users.lock(session.userId), 'user');
    await users.update({ ...held, passwordHash, linkHash: null, linkExpiresAt: null });
    await users.endSessions(session.userId, session.id);
    await audit.add({ action: 'user.password_changed', subject: named(held), at: clock.now() });
  });
}
