import type { Request } from 'express';
import type { Actor } from '../../../core/audit/audit-entry.js';
import { createCustomer, createCustomerOnce } from '../../../core/customers/create-customer.js';
import type { Customer } from '../../../core/customers/customer.js';
import type { Uses } from '../../../core/ports.js';
import { fingerprintOf, idempotencyKeyOf } from '../../idempotency/idempotency-key.js';
import { REPLAYED } from '../../idempotency/idempotent-responses.js';
import { requestContextOf } from '../../server/request-context.js';
import type { OperatorCustomerCreationBody } from './operator-customer.dto.js';

/** Responses to repeated writes are stored with an account, and here is none yet: so the account itself is what is repeated. */
export async function createFromRequest(
  ports: Uses<'customers' | 'clock'>,
  actor: Actor,
  { name, defaultTimeZone, storageBytesLimit = null, photosLimit = null }: OperatorCustomerCreationBody,
  request: Request,
): Promise<Customer> {
  const values = { name, timeZone: defaultTimeZone, storageBytesLimit, photosLimit };
  const key = idempotencyKeyOf(request);
  if (key === null) return createCustomer(ports, actor, values);
  const fingerprint = fingerprintOf(request, requestContextOf(request));
  const { customer, isNew } = await createCustomerOnce(ports, actor, values, { key, fingerprint });
  if (!isNew) request.res?.setHeader(REPLAYED, 'true');
  return customer;
}
