import { hash } from 'node:crypto';
import type { Actor } from '../audit/actor.js';
import { keyReused, RETENTION_MS } from '../idempotency/claim-key.js';
import { after, type Clock } from '../shared/clock.js';
import { type CustomerRequest, newCustomer } from './create-customer.js';
import type { Customer } from './customer.js';
import type { CustomerDirectory } from './customer-directory.js';

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
  if (creation.outcome === 'taken') throw keyReused();
  return { customer: creation.customer, isNew: creation.outcome === 'created' };
}
