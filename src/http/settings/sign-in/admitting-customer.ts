import type { Customer } from '../../../core/customers/customer.js';
import type { Ports } from '../../../core/ports.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { requireAdmitted } from '../../../core/users/admission.js';
import { requestContextOf } from '../../server/request-context.js';
import type { PageContext } from '../page-context.js';

/** The account that a link is for, which its page names. Errors: `ip_not_whitelisted` where people of the account may not be. */
export async function admittingCustomer(ports: Ports, { request }: PageContext, id: Id): Promise<Customer> {
  const customer = requireFound(await ports.customers.find(id), 'customer');
  requireAdmitted(customer, requestContextOf(request).namedIp);
  return customer;
}
