import type { AccountCaller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { named, type Role, requireOtherOwner, type User } from './user.js';

/** Errors: `not_found`; `invalid_request` for the last owner. */
export async function changeRole(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: AccountCaller,
  userId: Id,
  role: Role,
): Promise<User> {
  return store.within(caller.customerId, async (work) => {
    await work.lockCustomer();
    const user = found(await work.users.lock(userId), 'user');
    if (role !== 'owner') requireOtherOwner(user, await work.users.list());
    await work.users.update({ ...user, role });
    await work.audit.add(caller.actor, {
      action: 'user.edited',
      changes: ['role'],
      subject: named(user),
      at: clock.now(),
    });
    return { ...user, role };
  });
}
