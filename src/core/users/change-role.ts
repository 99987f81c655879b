import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { auditSubject, type Role, requireOtherOwner, type User } from './user.js';

/** Errors: `not_found`; `invalid_request` for the last owner. */
export async function changeRole(
  { store, clock }: { store: Transactional<'customer' | 'users' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  userId: Id,
  role: Role,
): Promise<User> {
  return store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const user = requireFound(await transaction.users.lock(userId), 'user');
    if (role !== 'owner') requireOtherOwner(user, await transaction.users.list());
    await transaction.users.update({ ...user, role });
    await transaction.audit.add(caller.actor, {
      action: 'user.edited',
      changes: ['role'],
      subject: auditSubject(user),
      at: clock.now(),
    });
    return { ...user, role };
  });
}
