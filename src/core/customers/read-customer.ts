import type { Readable } from '../shared/transactional.js';
import type { AccountCaller } from './account-caller.js';
import type { Customer, CustomerUsage } from './customer.js';

export interface CustomerWithUsage {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
}

export function readCustomer(
  { store }: { store: Readable<'customer' | 'usage'> },
  caller: Pick<AccountCaller, 'customerId'>,
): Promise<CustomerWithUsage> {
  return store.query(caller.customerId, async (reader) => ({
    customer: await reader.customer.read(),
    usage: await reader.usage.read(),
  }));
}
