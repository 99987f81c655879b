import type { KeyAddress } from '../access/key-store.js';
import { readIpList } from '../access/read-ip-list.js';
import type { AccountCaller } from '../customers/account-caller.js';
import { type Customer, restrictSettings } from '../customers/customer.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { isOver } from './session.js';

/**
 * Sets the addresses from which people may use the settings area, as they are written; none: from everywhere. It counts from the next request
 * on, for those who are signed in, too. Errors: `invalid_request`.
 */
export async function editSettingsAddresses(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  entries: readonly string[],
): Promise<Customer> {
  const { ipList, errors } = readIpList(entries);
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(customerId, async ({ customer, audit }) => {
    const before = await customer.lock();
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
