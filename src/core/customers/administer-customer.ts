import { changedFields } from '../audit/audit-entry.js';
import { zoneAsStored } from '../media/zones.js';
import type { Clock } from '../shared/clock.js';
import { type FieldError, invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import type { AccountCaller } from './account-caller.js';
import { administer, type Customer, type CustomerAdministration, customerAdministration } from './customer.js';
import { nameErrors, quotaErrors, retentionErrors, zoneErrors } from './customer-values.js';

/** Absent fields stay as they are; null removes a quota. */
export type CustomerPatch = {
  readonly [Name in keyof CustomerAdministration]?: CustomerAdministration[Name] | undefined;
};

/**
 * Changes what an operator may change in an account. A quota below what is used refuses new photos and removes none. A patch that equals
 * the present state changes nothing. Errors: `invalid_request`, also while the account is being erased; `not_found`, `precondition_failed`.
 */
export function administerCustomer(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  patch: CustomerPatch,
  precondition: Precondition<Customer> = unconditional,
): Promise<Customer> {
  return store.transaction(customerId, async (transaction) => {
    const before = await transaction.customer.lock();
    precondition(before);
    const errors = customerPatchErrors(patch);
    if (errors.length > 0) throw invalid(...errors);
    const changed = administer(before, inputAfter(before, patch), clock.now());
    const changes = changedFields(before, changed, customerAdministration);
    if (changes.length === 0) return before;
    await transaction.customer.update(changed);
    await transaction.audit.add(actor, { action: 'customer.edited', subject: changed, changes, at: changed.updatedAt });
    return changed;
  });
}

/** What is wrong with a patch, whatever the state of the account. */
export function customerPatchErrors(patch: CustomerPatch): FieldError[] {
  const { name, defaultTimeZone, trashRetentionDays, storageBytesLimit, photosLimit } = patch;
  return [
    ...(name === undefined ? [] : nameErrors(name)),
    ...(defaultTimeZone === undefined ? [] : zoneErrors(defaultTimeZone, 'defaultTimeZone')),
    ...(trashRetentionDays === undefined ? [] : retentionErrors(trashRetentionDays)),
    ...quotaErrors('storageBytesLimit', storageBytesLimit ?? null),
    ...quotaErrors('photosLimit', photosLimit ?? null),
  ];
}

function inputAfter(before: Customer, patch: CustomerPatch): CustomerAdministration {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const { name, defaultTimeZone, ...rest }: CustomerAdministration = { ...before, ...given };
  return { ...rest, name: cleanText(name), defaultTimeZone: zoneAsStored(defaultTimeZone) };
}
