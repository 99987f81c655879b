import type { Transaction } from '../shared/transactional.js';
import { type PendingSignIn } from './second-factor.js';
import type { User } from './user.js';

export interface PendingUser {
  readonly pending: PendingSignIn;
  readonly user: User;
}

/** A sign-in that waits for the second factor, and whose it is, locked; null if it has ended. */
export async function lockPending(
  { users, factors }: Transaction<'users' | 'factors'>,
  hash: string,
): Promise<PendingUser | null> {
  const seen = await factors.findPending(hash);
  const user = seen && (await users.lock(seen.userId));
  // As it is now that nobody else can change it.
  const pending = user && (await factors.findPending(hash));
  return pending && { pending, user };
}
