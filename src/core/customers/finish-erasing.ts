import { service } from '../audit/actor.js';
import { after, HOUR } from '../shared/clock.js';
import { forEachCustomer } from './each-customer.js';
import { type EraseUses, eraseCustomer } from './erase-customer.js';

/** Resumes interrupted erasures: erases customers that have been closing for an hour. */
export function finishErasing(uses: EraseUses, stopping?: AbortSignal): Promise<void> {
  const since = after(uses.clock.now(), -HOUR);
  const find = uses.customers.closingSince.bind(uses.customers, since);
  return forEachCustomer(
    find,
    async (id) => {
      await eraseCustomer(uses, service, id);
    },
    stopping,
  );
}
