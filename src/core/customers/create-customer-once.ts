import { hash } from 'node:crypto';
import type { Actor } from '../audit/actor.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { type CustomerRequest, newCustomer } from './create-customer.js';
import type { Customer } from './customer.js';
import type { CustomerDirectory } from './customer-directory.js';

/** How long a request can be repeated. */
const RETENTION_MS = DAY;

/** The request that creates a customer, as its sender identifies it. */
export interface CreationRequest {
  readonly key: string;
  /** Equal for equal requests only. */
  readonly fingerprint: string;
}

/**
 * Creates a customer, and for a repeated request returns the one that the first created, as it is now. Errors: `invalid_request`,
 * `idempotency_key_reused`; `not_found` when that customer has been erased since.
 */
export async function createCustomerOnce(
  { customers, clock }: { customers: CustomerDirectory; clock: Clock },
  actor: Actor,
  request: CustomerRequest,
  { key, fingerprint }: CreationRequest,
): Promise<{ readonly customer: Customer; readonly isNew: boolean }> {
  const at = clock.now();
  const once = { key: hash('sha256', key), fingerprint, expiredBefore: after(at, -RETENTION_MS) };
  const creation = await customers.createOnce(newCustomer(request, at), actor, once);
  if (creation.outcome !== 'taken') return { customer: creation.customer, isNew: creation.outcome === 'created' };
  const message = 'This Idempotency-Key was used for a different request. Use a new key for each new request.';
  throw new DomainError('idempotency_key_reused', message);
}
