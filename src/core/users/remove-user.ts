import type { AccountCaller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { named, requireOtherOwner } from './user.js';

/** The person is out at once, in every browser. Errors: `not_found`; `invalid_request` for the last owner. */
export async function removeUser(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: AccountCaller,
  userId: Id,
): Promise<void> {
  await store.within(caller.customerId, async (work) => {
    await work.lockCustomer();
    const user = found(await work.users.lock(userId), 'user');
    if (user.role === 'owner' && user.joinedAt !== null) requireOtherOwner(user, await work.users.list());
    await work.users.delete(userId);
    await work.audit.add(caller.actor, { action: 'user.removed', subject: named(user), at: clock.now() });
  });
}
