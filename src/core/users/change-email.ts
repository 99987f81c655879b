import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { auditSubject, emailTaken, readEmail, type User } from './user.js';

/** Sets the address that a person signs in with. Errors: `invalid_request`, also when another user of this customer has it; `not_found`. */
export async function changeEmail(
  { store, clock }: { store: Transactional<'customer' | 'users' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  userId: Id,
  text: string,
): Promise<User> {
  const email = readEmail(text);
  return store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const user = { ...requireFound(await transaction.users.lock(userId), 'user'), email };
    if (!(await transaction.users.update(user))) throw emailTaken();
    const change = { action: 'user.edited', changes: ['email'], subject: auditSubject(user), at: clock.now() } as const;
    await transaction.audit.add(caller.actor, change);
    return user;
  });
}
