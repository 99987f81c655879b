import { type Actor, commandLine } from '../audit/audit-entry.js';
import { isTimeZone } from '../media/capture-time.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, textErrors } from '../shared/text.js';

export type CustomerStatus = 'active' | 'suspended' | 'closing';

export interface Customer {
  readonly id: Id;
  readonly name: string;
  readonly status: CustomerStatus;
  /** IANA name; used for photos without a time zone of their own. */
  readonly defaultTimeZone: string;
  /** Days during which a deleted photo can be restored. */
  readonly trashRetentionDays: number;
  /** Quota; null means unlimited. Trashed photos count, and so does what open imports have reserved. */
  readonly storageBytesLimit: number | null;
  readonly photosLimit: number | null;
  /** From then on everyone needs a second factor to see more than the page that adds one; null: everyone decides alone. */
  readonly factorsRequiredFrom: Date | null;
  /** Addresses and ranges from which people may use the settings area; empty: from everywhere. */
  readonly settingsIpList: readonly string[];
  /** Whether owners let in everyone whom their sign-in provider vouches for, where the operator made that possible. */
  readonly admitsNewPeople: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** Number and size of photos. `photos` and `storageBytes` exclude the trash. */
export interface PhotoTotals {
  readonly photos: number;
  readonly trashedPhotos: number;
  readonly storageBytes: number;
  readonly trashedBytes: number;
}

export interface CustomerUsage extends PhotoTotals {
  readonly tags: number;
  readonly openImports: number;
  /** Size of the stored renditions when they were last counted. It counts against no quota: they can be generated again. */
  readonly renditionBytes: number;
}

export const customerSettings = ['name', 'defaultTimeZone', 'trashRetentionDays'] as const;

/** The settings of the account that an owner may change. */
export type CustomerSettings = Pick<Customer, (typeof customerSettings)[number]>;

export function withSettings(customer: Customer, settings: CustomerSettings, at: Date): Customer {
  const { name, defaultTimeZone, trashRetentionDays } = settings;
  return newVersion(customer, { name, defaultTimeZone, trashRetentionDays }, at);
}

export const customerAdministration = [...customerSettings, 'storageBytesLimit', 'photosLimit'] as const;

/** The fields of an account that an operator may change. */
export type CustomerAdministration = Pick<Customer, (typeof customerAdministration)[number]>;

/** Errors: `invalid_request` when it is being erased. */
export function administer(customer: Customer, given: CustomerAdministration, at: Date): Customer {
  requireNotClosing(customer);
  const { storageBytesLimit, photosLimit } = given;
  return { ...withSettings(customer, given, at), storageBytesLimit, photosLimit };
}

/** The account can be read, but not changed, until it is active again. Errors: `invalid_request` when it is being erased. */
export function suspend(customer: Customer, at: Date): Customer {
  return withStatus(customer, 'suspended', at);
}

/** Errors: `invalid_request` when it is being erased. */
export function resume(customer: Customer, at: Date): Customer {
  return withStatus(customer, 'active', at);
}

/** The account is being closed: its keys no longer work, and this cannot be reverted. */
export function close(customer: Customer, at: Date): Customer {
  return customer.status === 'closing' ? customer : withStatus(customer, 'closing', at);
}

function withStatus(customer: Customer, status: CustomerStatus, at: Date): Customer {
  requireNotClosing(customer);
  return customer.status === status ? customer : newVersion(customer, { status }, at);
}

/** The customer with these values, which no rule forbids. */
export function newVersion(customer: Customer, changes: Partial<Customer>, at: Date): Customer {
  return { ...customer, ...changes, updatedAt: at, version: customer.version + 1 };
}

function requireNotClosing({ id, status }: Customer): void {
  if (status !== 'closing') return;
  throw invalid({ field: 'status', code: 'conflict', message: `Customer ${id} is being erased.` });
}

export type NewCustomer = Omit<Customer, 'id'>;

export const MAX_CUSTOMER_NAME = 200;

export function customerNameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_CUSTOMER_NAME);
  return [{ field: 'name', code: 'required', message: `name must have 1 to ${MAX_CUSTOMER_NAME} characters.` }];
}

export function zoneErrors(timeZone: string, field = 'timeZone'): FieldError[] {
  if (isTimeZone(timeZone) && !/^[+-]/.test(timeZone)) return [];
  const message = `${field} must be an IANA name such as Europe/Paris.`;
  return [{ field, code: 'invalid_format', message }];
}

export const MAX_RETENTION_DAYS = 365;
export const DEFAULT_RETENTION_DAYS = 30;

export function retentionErrors(days: number): FieldError[] {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS) return [];
  const message = `The trash retention must be 1 to ${MAX_RETENTION_DAYS} days.`;
  return [{ field: 'trashRetentionDays', code: 'out_of_range', message, min: 1, max: MAX_RETENTION_DAYS }];
}

/** Null is no quota. */
export function quotaErrors(field: string, quota: number | null): FieldError[] {
  if (quota === null || (Number.isSafeInteger(quota) && quota >= 0)) return [];
  return [{ field, code: 'out_of_range', message: `${field} must be a whole number, 0 or greater.`, min: 0 }];
}

/** The caller of a use case of the settings area or the command line: whose account it is, and who acts. */
export interface AccountCaller {
  readonly customerId: Id;
  readonly actor: Actor;
}

/** The operator, on the command line, in the account of one customer, where an owner's rights are the operator's too. */
export function operatorFor(customerId: Id): AccountCaller & { readonly role: 'owner' } {
  return { customerId, actor: commandLine, role: 'owner' };
}
