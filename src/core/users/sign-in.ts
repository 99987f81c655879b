import { createHash } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import type { Budget } from '../access/rolling-window.js';
import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';
import { normalEmail, signedIn, type User } from './user.js';

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Where the attempt comes from. */
  readonly address: string;
}

/** Attempts a minute, right ones too. By account so that many machines cannot share the guessing, by address so that one cannot try many accounts. */
const PER_ADDRESS = 20;
const PER_ACCOUNT = 5;

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

/** Counts an attempt to guess a password. Errors: `rate_limited`. */
export async function demandAttempt(uses: Uses<'rateWindows'>, account: string, address: string): Promise<void> {
  await demandBudget(uses, { name: `sign-in:from:${addressBudget(address)}`, limit: PER_ADDRESS });
  const name = createHash('sha256').update(account).digest('hex');
  await demandBudget(uses, { name: `sign-in:to:${name}`, limit: PER_ACCOUNT });
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

async function demandBudget({ rateWindows }: Uses<'rateWindows'>, budget: Budget): Promise<void> {
  const { allowed, retryAfter } = await rateWindows.hit(budget);
  if (allowed) return;
  const message = `Too many attempts. Try again in ${retryAfter ?? 60} seconds.`;
  throw new DomainError('rate_limited', message, { retryAfter });
}
