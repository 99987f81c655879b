import type { Clock } from '../../shared/clock.js';
import { requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Readable, Transactional } from '../../shared/transactional.js';
import { auditUser, type PeopleManager, type Role, requireMayManage, requireOtherOwner, type User } from '../user.js';

/** Everyone, including those who were invited and have not signed in, oldest first. */
export function listPeople({ store }: { store: Readable<'users'> }, customerId: Id): Promise<readonly User[]> {
  return store.query(customerId, ({ users }) => users.list());
}

/** Errors: `not_found`. */
export async function readPerson({ store }: { store: Readable<'users'> }, customerId: Id, id: Id): Promise<User> {
  return requireFound(await store.query(customerId, ({ users }) => users.get(id)), 'user');
}

/** The people of an account, and what decides how each can sign in; `withFactor`: those who have an authenticator app. */
export function readPeople(
  { store }: { store: Readable<'users' | 'factors' | 'identities' | 'customer'> },
  customerId: Id,
) {
  return store.query(customerId, async ({ users, factors, identities, customer }) => ({
    users: await users.list(),
    withFactor: new Set((await factors.listApps()).map(({ userId }) => userId)),
    identities: await identities.list(),
    customer: await customer.read(),
  }));
}

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
    const change = { action: 'user.edited', changes: ['role'], at: clock.now() } as const;
    await auditUser(transaction.audit, caller.actor, user, change);
    return { ...user, role };
  });
}

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
    await auditUser(transaction.audit, caller.actor, user, { action: 'user.removed', at: clock.now() });
  });
}
