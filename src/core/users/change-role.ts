import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type PeopleManager, type Role, requireMayManage } from './role.js';
import { auditSubject, requireOtherOwner, type User } from './user.js';

/** Errors: `not_found`; `scope_required`; `invalid_request` for the last owner. */
export async function changeRole(
  { store, clock }: { store: Transactional<'customer' | 'users' | 'factors' | 'audit'>; clock: Clock },
  caller: PeopleManager,
  userId: Id,
  role: Role,
): Promise<User> {
  return store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const user = requireFound(await transaction.users.lock(userId), 'user');
    requireMayManage(caller, user.role, role);
    if (role !== 'owner') requireOtherOwner(user, await transaction.users.list());
    await transaction.users.update({ ...user, role });
    // What waits for the second factor may bring a role of before.
    await transaction.factors.endPendingOf(userId);
    await transaction.audit.add(caller.actor, {
      action: 'user.edited',
      changes: ['role'],
      subject: auditSubject(user),
      at: clock.now(),
    });
    return { ...user, role };
  });
}
