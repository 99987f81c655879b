import { hash } from 'node:crypto';
import type { Actor } from '../audit/audit-entry.js';
import { keyReused, RETENTION_MS } from '../idempotency/claim-key.js';
import { zoneAsStored } from '../media/zones.js';
import { after, type Clock } from '../shared/clock.js';
import { requireFound, requireValid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import {
  type Customer,
  customerNameErrors,
  DEFAULT_RETENTION_DAYS,
  type NewCustomer,
  quotaErrors,
  zoneErrors,
} from './customer.js';
import type { CreationRequest, CustomerCreation, CustomerDirectory } from './customer-directory.js';

interface CustomerRequest extends Pick<Customer, 'name' | 'storageBytesLimit' | 'photosLimit'> {
  /** IANA name; default UTC. */
  readonly timeZone?: string | undefined;
}

type CreateUses = { customers: CustomerDirectory; clock: Clock };

/** Errors: `invalid_request`. */
export async function createCustomer(
  { customers, clock }: CreateUses,
  actor: Actor,
  request: CustomerRequest,
): Promise<Customer> {
  const values = newCustomer(request, clock.now());
  return customers.transaction((transaction) => add(transaction, actor, values));
}

/** The first customer of an empty installation; null when there is a customer already. */
export function createFirstCustomer({ customers, clock }: CreateUses, actor: Actor): Promise<Customer | null> {
  const values = newCustomer({ name: 'First customer', storageBytesLimit: null, photosLimit: null }, clock.now());
  return customers.transaction(async (transaction) =>
    (await transaction.any()) ? null : add(transaction, actor, values),
  );
}

/**
 * Creates a customer for an idempotency key, and for a repeated request returns the one that the first created, as it is now. `fingerprint` is
 * equal for equal requests only. Errors: `invalid_request`, `idempotency_key_reused`; `not_found` when that customer has been erased since.
 */
export async function createCustomerOnce(
  { customers, clock }: CreateUses,
  actor: Actor,
  request: CustomerRequest,
  { key, fingerprint }: Pick<CreationRequest, 'key' | 'fingerprint'>,
): Promise<{ readonly customer: Customer; readonly isNew: boolean }> {
  const at = clock.now();
  const values = newCustomer(request, at);
  const keyHash = hash('sha256', key);
  return customers.transaction(async (transaction) => {
    await transaction.forgetRequests(after(at, -RETENTION_MS));
    const earlier = await transaction.findRequest(keyHash);
    if (earlier === null) {
      const customer = await add(transaction, actor, values);
      await transaction.addRequest({ key: keyHash, fingerprint, createdId: customer.id, startedAt: at });
      return { customer, isNew: true };
    }
    if (earlier.fingerprint !== fingerprint) throw keyReused();
    return { customer: requireFound(await transaction.find(earlier.createdId), 'customer'), isNew: false };
  });
}

async function add(transaction: CustomerCreation, actor: Actor, values: NewCustomer): Promise<Customer> {
  const customer = await transaction.insert(values);
  const entry = { action: 'customer.created', subject: customer, at: customer.createdAt } as const;
  await transaction.auditOf(customer.id).add(actor, entry);
  return customer;
}

/** The values of a new customer. Errors: `invalid_request`. */
function newCustomer(request: CustomerRequest, at: Date): NewCustomer {
  const name = cleanText(request.name);
  const defaultTimeZone = request.timeZone ?? 'UTC';
  const errors = [...customerNameErrors(request.name), ...zoneErrors(defaultTimeZone)];
  errors.push(...quotaErrors('storageBytes', request.storageBytesLimit), ...quotaErrors('photos', request.photosLimit));
  requireValid(errors);
  return {
    name,
    defaultTimeZone: zoneAsStored(defaultTimeZone),
    storageBytesLimit: request.storageBytesLimit,
    photosLimit: request.photosLimit,
    status: 'active',
    trashRetentionDays: DEFAULT_RETENTION_DAYS,
    factorsRequiredFrom: null,
    settingsIpList: [],
    admitsNewPeople: false,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
}
