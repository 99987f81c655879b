import type { Addresses } from '../shared/addresses.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import type { Invitation } from './invite-user.js';
import { type PeopleManager, requireMayManage } from './role.js';
import { auditSubject, withLink } from './user.js';

/** A new link for an existing user who has lost the password. Errors: `not_found`, `scope_required`. */
export async function linkUser(
  { store, clock, addresses }: { store: Transactional<'users' | 'audit'>; clock: Clock; addresses: Addresses },
  caller: PeopleManager,
  userId: Id,
): Promise<Invitation> {
  const token = newRandomToken();
  const user = await store.transaction(caller.customerId, async ({ users, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    requireMayManage(caller, user.role);
    const known = withLink(user, hashRandomToken(token), clock.now());
    await users.update(known);
    await audit.add(caller.actor, { action: 'user.linked', subject: auditSubject(known), at: clock.now() });
    return known;
  });
  return { user, link: addresses.signIn(token) };
}
