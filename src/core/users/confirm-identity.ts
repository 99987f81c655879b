import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { PasswordHasher } from './password-hasher.js';
import type { KnownSession, SessionStore } from './session.js';
import { requireSignInBudget } from './sign-in-attempts.js';

/** The field of a form in which a person is asked for the password again. */
export const CONFIRMATION_FIELD = 'confirmPassword';

/**
 * Takes the password of somebody who is signed in and wants to do what a stolen cookie must not. Guesses are counted per session. Errors:
 * `invalid_request`, `rate_limited`.
 */
export async function confirmIdentity(
  uses: { sessions: SessionStore; passwords: PasswordHasher; rateWindows: RateWindowStore; clock: Clock },
  { session, user }: KnownSession,
  password: string,
): Promise<void> {
  const account = user.email ?? `user ${user.id}`;
  await requireSignInBudget(uses, { account, address: session.address, known: `session:${session.id}` });
  if (!(await uses.passwords.matches(user.passwordHash ?? '', password))) {
    throw invalid({ field: CONFIRMATION_FIELD, code: 'invalid_format', message: 'This is not your password.' });
  }
  await uses.sessions.confirm(session.tokenHash, uses.clock.now());
}
