import { changedFields } from '../audit/audit-entry.js';
import { zoneAsStored } from '../media/zones.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import type { AccountCaller } from './account-caller.js';
import { type Customer, type CustomerSettings, customerSettings, withSettings } from './customer.js';
import { nameErrors, retentionErrors, zoneErrors } from './customer-values.js';

/**
 * Changes what an owner may change in the account. The retention applies to photos that are trashed from then on: those already in the
 * trash keep their purge date. Errors: `invalid_request`, `not_found`.
 */
export async function editCustomer(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  request: CustomerSettings,
): Promise<Customer> {
  const defaultTimeZone = zoneAsStored(request.defaultTimeZone);
  const settings = { ...request, name: cleanText(request.name), defaultTimeZone };
  const errors = [
    ...nameErrors(request.name),
    ...zoneErrors(settings.defaultTimeZone),
    ...retentionErrors(settings.trashRetentionDays),
  ];
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(customerId, async (transaction) => {
    const [before, at] = [await transaction.customer.lock(), clock.now()];
    const changed = withSettings(before, settings, at);
    await transaction.customer.update(changed);
    const changes = changedFields(before, changed, customerSettings);
    if (changes.length > 0)
      await transaction.audit.add(actor, { action: 'customer.edited', subject: changed, changes, at });
    return changed;
  });
}
