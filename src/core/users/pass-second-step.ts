import type { Transaction } from '../shared/transactional.js';
import { completeSignIn } from './complete-sign-in.js';
import { followGroups } from './follow-groups.js';
import type { PendingUser } from './lock-pending.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import type { Role } from './role.js';
import type { User } from './user.js';

interface Passing {
  /** What groups at a provider give; null: the person keeps their role. */
  readonly role: Role | null;
  readonly browser: Browser;
  readonly at: Date;
}

/** Ends a sign-in that waited for the second factor, which was given, and begins a session. Errors: `ip_not_whitelisted`. */
export async function passSecondStep(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>,
  { pending, user }: PendingUser,
  { role, browser, at }: Passing,
): Promise<User> {
  await transaction.factors.endPending(pending.tokenHash);
  const { address } = browser;
  const member = role === null ? user : await followGroups(transaction, user, role, { address, at });
  const signed = await completeSignIn(transaction, member, { browser, byLink: pending.byLink, at });
  // A link has just changed the password, which the person is told.
  if (pending.source === '' && !pending.byLink)
    await notifyPerson(uses, transaction, user, { template: 'new_sign_in' }, { ...browser, at });
  return signed;
}
