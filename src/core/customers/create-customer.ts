import type { Actor } from '../audit/actor.js';
import { zoneAsStored } from '../media/zones.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import type { Customer, NewCustomer } from './customer.js';
import type { CustomerDirectory } from './customer-directory.js';
import { nameErrors, quotaErrors, zoneErrors } from './customer-values.js';

export interface CustomerRequest {
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
export function newCustomer(request: CustomerRequest, createdAt: Date): NewCustomer {
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
