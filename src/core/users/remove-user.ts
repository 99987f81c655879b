import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type PeopleManager, requireMayManage } from './role.js';
import { auditSubject, requireOtherOwner } from './user.js';

/** Signs the person out immediately, in every browser. Errors: `not_found`; `scope_required`; `invalid_request` for the last owner. */
export async function removeUser(
  { store, clock }: { store: Transactional<'customer' | 'users' | 'audit'>; clock: Clock },
  caller: PeopleManager,
  userId: Id,
): Promise<void> {
  await store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const user = requireFound(await transaction.users.lock(userId), 'user');
    requireMayManage(caller, user.role);
    if (user.role === 'owner' && user.joinedAt !== null) requireOtherOwner(user, await transaction.users.list());
    await transaction.users.delete(userId);
    await transaction.audit.add(caller.actor, { action: 'user.removed', subject: auditSubject(user), at: clock.now() });
  });
}
