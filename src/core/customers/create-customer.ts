import { hash } from 'node:crypto';
import type { Actor } from '../audit/audit-entry.js';
import { keyReused, RETENTION_MS } from '../idempotency/claim-key.js';
import { zoneAsStored } from '../media/zones.js';
import { after, type Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { type Customer, type NewCustomer, nameErrors, quotaErrors, zoneErrors } from './customer.js';
import type { CustomerDirectory } from './customer-directory.js';

interface CustomerRequest {
  readonly name: string;
  /** IANA name; default UTC. */
  readonly timeZone?: string | undefined;
  /** Quota in bytes and photos; null means unlimited. */
  readonly storageBytesLimit: number | null;
  readonly photosLimit: number | null;
}

/** Errors: `invalid_request`. */
export function createCustomer(
  { customers, clock }: { customers: CustomerDirectory; clock: Clock },
  actor: Actor,
  request: CustomerRequest,
): Promise<Customer> {
  return customers.create(newCustomer(request, clock.now()), actor);
}

/** The first customer of an empty installation; null when there is a customer already. */
export function createFirstCustomer(
  { customers, clock }: { customers: CustomerDirectory; clock: Clock },
  actor: Actor,
): Promise<Customer | null> {
  const request = { name: 'First customer', storageBytesLimit: null, photosLimit: null };
  return customers.createFirst(newCustomer(request, clock.now()), actor);
}

/** The values of a new customer. Errors: `invalid_request`. */
function newCustomer(request: CustomerRequest, createdAt: Date): NewCustomer {
  const name = cleanText(request.name);
  const defaultTimeZone = request.timeZone ?? 'UTC';
  const errors = [...nameErrors(request.name), ...zoneErrors(defaultTimeZone)];
  errors.push(...quotaErrors('storageBytes', request.storageBytesLimit), ...quotaErrors('photos', request.photosLimit));
  if (errors.length > 0) throw invalid(...errors);
  return {
    name,
    defaultTimeZone: zoneAsStored(defaultTimeZone),
    storageBytesLimit: request.storageBytesLimit,
    photosLimit: request.photosLimit,
    createdAt,
  };
}

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
