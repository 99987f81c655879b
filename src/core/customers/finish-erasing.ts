import { service } from '../audit/actor.js';
import { after, HOUR } from '../shared/clock.js';
import { forEachCustomer } from './each-customer.js';
import { type EraseUses, eraseCustomer } from './erase-customer.js';

/** Goes on with what was broken off: erases who has been closing for an hour. */
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
