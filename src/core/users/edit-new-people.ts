import type { AccountCaller } from '../customers/account-caller.js';
import { admitNewPeople, type Customer } from '../customers/customer.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';

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
