import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';
import { demandAttempt } from './attempts.js';
import { normalEmail, signedIn, type User } from './user.js';

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the attempt comes from. */
  readonly address: string;
}

/**
 * The user with this address and password. Whether an address is known cannot be told from the answer, its wording or its time.
 * Who is at several customers with one password gets to the one that was used last. Errors: `unauthorized`, `rate_limited`.
 */
export async function signIn(
  uses: Uses<'users' | 'passwords' | 'rateWindows' | 'store' | 'clock'>,
  { email, password, address }: Credentials,
): Promise<User> {
  const normal = normalEmail(email);
  await demandAttempt(uses, normal, address);
  const known = await usersOf(uses, normal);
  const [user] = await matching(uses, known, password);
  if (user === undefined) throw new DomainError('unauthorized', 'The e-mail address or the password is wrong.');
  await uses.store.within(user.customerId, async ({ users }) => {
    const held = await users.lock(user.id);
    if (held !== null) await users.update(signedIn(held, uses.clock.now()));
  });
  return user;
}

/** Those who may sign in by a password at all, who did so last first. */
async function usersOf({ users }: Uses<'users'>, email: string): Promise<User[]> {
  const known = email === '' ? [] : await users.findByEmail(email);
  return known
    .filter(({ user, customerStatus }) => customerStatus !== 'closing' && user.passwordHash !== null)
    .map(({ user }) => user)
    .sort((a, b) => (b.lastSignInAt?.getTime() ?? 0) - (a.lastSignInAt?.getTime() ?? 0));
}

async function matching({ passwords }: Uses<'passwords'>, users: readonly User[], password: string): Promise<User[]> {
  if (users.length === 0) await passwords.pretend(password);
  const answers = await Promise.all(users.map((user) => passwords.matches(user.passwordHash ?? '', password)));
  return users.filter((_, at) => answers[at]);
}
