import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Customer } from './customer.js';
import type { CustomerDirectory } from './customer-directory.js';

/** Cursors are bound to a customer; those of the operator's lists to none. */
const NO_CUSTOMER: Id = 0;

/** The customers of an installation, oldest first. Errors: `invalid_cursor`. */
export function listCustomers(
  uses: { customers: CustomerDirectory; secrets: Secrets; clock: Clock },
  request: PageRequest,
): Promise<Page<Customer>> {
  const listing = {
    customerId: NO_CUSTOMER,
    list: 'operator/customers',
    sort: 'id',
    filters: {},
    ...orderById<Customer>(),
    rows: ({ after, limit }: PageWindow) => uses.customers.page({ after: after?.id ?? null, limit }),
  };
  return readPage(uses, listing, request);
}

/** Errors: `not_found`. */
export async function findCustomer({ customers }: { customers: CustomerDirectory }, id: Id): Promise<Customer> {
  return requireFound(await customers.find(id), 'customer');
}
