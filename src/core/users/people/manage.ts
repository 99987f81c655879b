import type { KeyAddress } from '../../access/api-key.js';
import { readIpList } from '../../access/ip-list.js';
import { type AccountCaller, admitNewPeople, type Customer, restrictSettings } from '../../customers/customer.js';
import { after, type Clock, DAY } from '../../shared/clock.js';
import { invalid, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../../shared/transactional.js';
import type { Identity } from '../provider/identity.js';
import { isOver } from '../session.js';
import {
  auditSubject,
  type PeopleManager,
  type Role,
  requireMayManage,
  requireOtherOwner,
  type User,
} from '../user.js';

/** Everyone, including those who were invited and have not signed in, oldest first. */
export function listPeople({ store }: { store: Readable<'users'> }, customerId: Id): Promise<readonly User[]> {
  return store.query(customerId, ({ users }) => users.list());
}

/** Errors: `not_found`. */
export async function readPerson({ store }: { store: Readable<'users'> }, customerId: Id, id: Id): Promise<User> {
  return requireFound(await store.query(customerId, ({ users }) => users.get(id)), 'user');
}

/** The people of an account, and what decides how each can sign in. */
export interface People {
  readonly users: readonly User[];
  /** The people who have an authenticator app. */
  readonly withFactor: ReadonlySet<Id>;
  readonly identities: readonly Identity[];
  readonly customer: Customer;
}

export function readPeople(
  { store }: { store: Readable<'users' | 'factors' | 'identities' | 'customer'> },
  customerId: Id,
): Promise<People> {
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
    await transaction.audit.add(caller.actor, {
      action: 'user.edited',
      changes: ['role'],
      subject: auditSubject(user),
      at: clock.now(),
    });
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
    await transaction.audit.add(caller.actor, { action: 'user.removed', subject: auditSubject(user), at: clock.now() });
  });
}

/** Decides for the owners whether a provider of their account may bring new people. Those who have come remain. */
export async function editNewPeople(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  isAllowed: boolean,
): Promise<Customer> {
  return store.transaction(customerId, async ({ customer, audit }) => {
    const before = await customer.lock();
    if (before.admitsNewPeople === isAllowed) return before;
    const at = clock.now();
    const changed = admitNewPeople(before, isAllowed, at);
    await customer.update(changed);
    await audit.add(actor, { action: 'customer.edited', subject: changed, changes: ['admitsNewPeople'], at });
    return changed;
  });
}

/**
 * Sets the addresses from which people may use the settings area, as they are written; none: from everywhere. It counts from the next request
 * on, for those who are signed in, too. `check` is called with the customer as it is when the change begins. Errors: `invalid_request`, and those of
 * `check`.
 */
export async function editSettingsAddresses(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  entries: readonly string[],
  check: Precondition<Customer> = unconditional,
): Promise<Customer> {
  const { ipList, errors } = readIpList(entries);
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(customerId, async ({ customer, audit }) => {
    const before = await customer.lock();
    check(before);
    if (before.settingsIpList.join() === ipList.join()) return before;
    const at = clock.now();
    const changed = restrictSettings(before, ipList, at);
    await customer.update(changed);
    await audit.add(actor, { action: 'customer.edited', subject: changed, changes: ['settingsAddresses'], at });
    return changed;
  });
}

/** Addresses from which people of a customer have used open sessions in the last day. */
export async function recentSettingsAddresses(
  { store, clock }: { store: Readable<'users'>; clock: Clock },
  customerId: Id,
): Promise<readonly Pick<KeyAddress, 'address'>[]> {
  const now = clock.now();
  const sessions = await store.query(customerId, async ({ users }) => {
    const everyone = await users.list();
    return (await Promise.all(everyone.map(({ id }) => users.sessionsOf(id)))).flat();
  });
  const recent = sessions.filter((session) => !isOver(session, now) && session.lastSeenAt > after(now, -DAY));
  return [...new Set(recent.map(({ address }) => address))].map((address) => ({ address }));
}
