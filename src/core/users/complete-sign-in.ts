import type { Transaction } from '../shared/transactional.js';
import { requireAdmitted } from './admitted-address.js';
import { type Browser, newSession } from './open-session.js';
import { auditSubject, recordSignIn, type User, userActor } from './user.js';

interface Completion {
  readonly browser: Browser;
  readonly byLink: boolean;
  readonly at: Date;
}

/** Opens the session of a person who has proven everything. The user is locked. Errors: `ip_not_whitelisted`. */
export async function completeSignIn(
  { customer, users, audit }: Transaction<'customer' | 'users' | 'audit'>,
  user: User,
  { browser, byLink, at }: Completion,
): Promise<User> {
  requireAdmitted(await customer.read(), browser.namedAddress);
  const signed = recordSignIn(user, at);
  await users.update(signed);
  await users.openSession(user.id, newSession(browser, at, byLink));
  await audit.add(userActor(signed, browser.address), { action: 'user.signed_in', subject: auditSubject(signed), at });
  return signed;
}
