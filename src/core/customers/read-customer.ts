import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import type { Customer, CustomerUsage } from './customer.js';

export interface CustomerWithUsage {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
}

export function readCustomer({ store }: Uses<'store'>, caller: Pick<Caller, 'customerId'>): Promise<CustomerWithUsage> {
  return store.query(caller.customerId, async (reader) => ({
    customer: await reader.customer.read(),
    usage: await reader.usage.read(),
  }));
}
