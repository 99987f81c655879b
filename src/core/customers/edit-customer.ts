import { type Actor, changedFields } from '../audit/audit-entry.js';
import { zoneAsStored } from '../media/zones.js';
import type { Clock } from '../shared/clock.js';
import { type FieldError, invalid, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText } from '../shared/text.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import {
  type AccountCaller,
  administer,
  type Customer,
  type CustomerAdministration,
  type CustomerSettings,
  type CustomerUsage,
  close,
  customerAdministration,
  customerNameErrors,
  customerSettings,
  quotaErrors,
  resume,
  retentionErrors,
  suspend,
  withSettings,
  zoneErrors,
} from './customer.js';

export interface CustomerWithUsage {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
}

export function readCustomer(
  { store }: { store: Readable<'customer' | 'usage'> },
  caller: Pick<AccountCaller, 'customerId'>,
): Promise<CustomerWithUsage> {
  return store.query(caller.customerId, async (reader) => ({
    customer: await reader.customer.read(),
    usage: await reader.usage.read(),
  }));
}

/**
 * Changes what an owner may change in the account. The retention applies to photos that are trashed from then on: those already in the
 * trash keep their purge date. Absent fields stay. Errors: `invalid_request`, `not_found`, and those of `check`.
 */
export async function editCustomer(
  { store, clock }: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  { name, defaultTimeZone, trashRetentionDays }: Partial<CustomerSettings>,
  check: Precondition<Customer> = unconditional,
): Promise<Customer> {
  const settings = {
    ...(name !== undefined && { name: cleanText(name) }),
    ...(defaultTimeZone !== undefined && { defaultTimeZone: zoneAsStored(defaultTimeZone) }),
    ...(trashRetentionDays !== undefined && { trashRetentionDays }),
  };
  requireValid(settingsErrors({ name, trashRetentionDays, ...settings }, 'timeZone'));
  return store.transaction(customerId, async (transaction) => {
    const [before, at] = [await transaction.customer.lock(), clock.now()];
    check(before);
    const changed = withSettings(before, { ...before, ...settings }, at);
    await transaction.customer.update(changed);
    const changes = changedFields(before, changed, customerSettings);
    if (changes.length > 0)
      await transaction.audit.add(actor, { action: 'customer.edited', subject: changed, changes, at });
    return changed;
  });
}

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
    requireValid(customerPatchErrors(patch));
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const { name, defaultTimeZone, ...rest }: CustomerAdministration = { ...before, ...given };
    const values = { ...rest, name: cleanText(name), defaultTimeZone: zoneAsStored(defaultTimeZone) };
    const changed = administer(before, values, clock.now());
    const changes = changedFields(before, changed, customerAdministration);
    if (changes.length === 0) return before;
    await transaction.customer.update(changed);
    await transaction.audit.add(actor, { action: 'customer.edited', subject: changed, changes, at: changed.updatedAt });
    return changed;
  });
}

/** Returns what is wrong with a patch, whatever the state of the account. */
export function customerPatchErrors(patch: CustomerPatch): FieldError[] {
  return [
    ...settingsErrors(patch, 'defaultTimeZone'),
    ...quotaErrors('storageBytesLimit', patch.storageBytesLimit ?? null),
    ...quotaErrors('photosLimit', patch.photosLimit ?? null),
  ];
}

function settingsErrors({ name, defaultTimeZone, trashRetentionDays }: CustomerPatch, zoneField: string): FieldError[] {
  return [
    ...(name === undefined ? [] : customerNameErrors(name)),
    ...(defaultTimeZone === undefined ? [] : zoneErrors(defaultTimeZone, zoneField)),
    ...(trashRetentionDays === undefined ? [] : retentionErrors(trashRetentionDays)),
  ];
}

type ChangeUses = { store: Transactional<'customer' | 'audit'>; clock: Clock };

/**
 * From here on every process refuses every write with its keys; reads and downloads work. What was finalized before is still published.
 * Errors: `not_found`; `invalid_request` when the customer is being erased.
 */
export function suspendCustomer(uses: ChangeUses, actor: Actor, id: Id): Promise<Customer> {
  return changeCustomer(uses, { customerId: id, actor }, ['status'], suspend);
}

/** Errors: `not_found`; `invalid_request` when the customer is being erased. */
export function resumeCustomer(uses: ChangeUses, actor: Actor, id: Id): Promise<Customer> {
  return changeCustomer(uses, { customerId: id, actor }, ['status'], resume);
}

/**
 * From here on every process treats its keys as unknown and refuses its signed upload addresses. If no process does, the worker erases a
 * customer that has been closing for an hour. Errors: `not_found`.
 */
export function closeCustomer(uses: ChangeUses, actor: Actor, id: Id): Promise<Customer> {
  return changeCustomer(uses, { customerId: id, actor }, ['status'], close);
}

/** Changes a customer by a rule, and records these changes; a rule that returns the same customer changes nothing. */
export function changeCustomer(
  { store, clock }: ChangeUses,
  { customerId, actor }: AccountCaller,
  changes: readonly string[],
  rule: (customer: Customer, at: Date) => Customer,
): Promise<Customer> {
  return store.transaction(customerId, async ({ customer, audit }) => {
    const before = await customer.lock();
    const changed = rule(before, clock.now());
    if (changed === before) return before;
    await customer.update(changed);
    await audit.add(actor, { action: 'customer.edited', subject: changed, changes, at: changed.updatedAt });
    return changed;
  });
}

/**
 * For an owner who wants to leave: closes the account immediately (`closeCustomer`); the worker erases it within about two hours. Errors:
 * `invalid_request` unless the typed name is exactly the account's; `not_found`.
 */
export async function closeOwnAccount(
  uses: ChangeUses,
  { customerId, actor }: AccountCaller,
  typedName: string,
): Promise<Customer> {
  const { name } = await uses.store.query(customerId, (reader) => reader.customer.read());
  if (cleanText(typedName) !== name) {
    const message = `Enter the name exactly as it is written: ${name}`;
    throw invalid({ field: 'name', code: 'invalid_format', message });
  }
  return closeCustomer(uses, actor, customerId);
}

/** Records an export of the account's data, before any of it is sent. */
export async function recordExport(
  { store, clock }: { store: Transactional<'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  filename: string,
): Promise<void> {
  const change = { action: 'customer.exported', subject: { id: customerId, name: filename }, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}
