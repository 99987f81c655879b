import type { Uses } from '../ports.js';
import { found, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Session } from './session.js';
import { demandAttempt } from './sign-in.js';
import { demandGoodPassword, demandOwnerBeside, type Role, readEmail, type User } from './user.js';

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
  uses: Uses<'store' | 'passwords' | 'rateWindows'>,
  session: Pick<Session, 'customerId' | 'userId' | 'id'>,
  { current, password }: PasswordChange,
  address: string,
): Promise<void> {
  const { store, passwords } = uses;
  const user = found(await store.read(session.customerId, ({ users }) => users.get(session.userId)), 'user');
  if (user.passwordHash !== null) await demandAttempt(uses, user.email ?? `user ${user.id}`, address);
  if (user.passwordHash !== null && !(await passwords.matches(user.passwordHash, current))) {
    const message = 'This is not your current password.';
    throw invalid({ field: 'current', code: 'invalid_format', message });
  }
  demandGoodPassword(password, user);
  const passwordHash = await passwords.hash(password);
  await store.within(session.customerId, async ({ users }) => {
    const held = found(await users.lock(session.userId), 'user');
    await users.update({ ...held, passwordHash, linkHash: null, linkExpiresAt: null });
    await users.endSessions(session.userId, session.id);
  });
}

/** Sets the address that somebody signs in with. Errors: `invalid_request`, also when another user of this customer has it; `not_found`. */
export async function changeEmail({ store }: Uses<'store'>, customerId: Id, userId: Id, text: string): Promise<User> {
  const email = readEmail(text);
  return store.within(customerId, async (work) => {
    await work.lockCustomer();
    const user = { ...found(await work.users.lock(userId), 'user'), email };
    if (await work.users.update(user)) return user;
    throw invalid({ field: 'email', code: 'conflict', message: 'Somebody else of this account has this address.' });
  });
}

/** Errors: `not_found`; `invalid_request` for the last owner. */
export async function changeRole({ store }: Uses<'store'>, customerId: Id, userId: Id, role: Role): Promise<User> {
  return store.within(customerId, async (work) => {
    await work.lockCustomer();
    const user = found(await work.users.lock(userId), 'user');
    if (role !== 'owner') demandOwnerBeside(user, await work.users.list());
    await work.users.update({ ...user, role });
    return { ...user, role };
  });
}

/** The person is out at once, in every browser. Errors: `not_found`; `invalid_request` for the last owner. */
export async function removeUser({ store }: Uses<'store'>, customerId: Id, userId: Id): Promise<void> {
  await store.within(customerId, async (work) => {
    await work.lockCustomer();
    const user = found(await work.users.lock(userId), 'user');
    if (user.role === 'owner' && user.joinedAt !== null) demandOwnerBeside(user, await work.users.list());
    await work.users.delete(userId);
  });
}
