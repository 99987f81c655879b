import type { PasswordHasher } from './password-hasher.js';
import type { User } from './user.js';
import type { UserStore } from './user-store.js';

/** Users who may sign in by a password at all, most recent sign-in first. */
export async function usersOf({ users }: { users: UserStore }, email: string): Promise<User[]> {
  const known = email === '' ? [] : await users.findByEmail(email);
  return known
    .filter(({ user, customerStatus }) => customerStatus !== 'closing' && user.passwordHash !== null)
    .map(({ user }) => user)
    .sort((a, b) => (b.lastSignInAt?.getTime() ?? 0) - (a.lastSignInAt?.getTime() ?? 0));
}

export async function matching(
  { passwords }: { passwords: PasswordHasher },
  users: readonly User[],
  password: string,
): Promise<User[]> {
  if (users.length === 0) await passwords.pretend(password);
  const answers = await Promise.all(users.map((user) => passwords.matches(user.passwordHash ?? '', password)));
  return users.filter((_, at) => answers[at]);
}
