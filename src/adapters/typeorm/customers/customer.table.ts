import type { Customer } from '../../../core/customers/customer.js';
import { generatedKey, instant, optionalBigWhole, optionalInstant, tableOf, text, whole } from '../database/columns.js';

export const customerTable = tableOf<Customer>('customer', 'customers', {
  id: generatedKey,
  name: text,
  status: text,
  defaultTimeZone: text,
  trashRetentionDays: whole,
  storageBytesLimit: optionalBigWhole,
  photosLimit: optionalBigWhole,
  factorsRequiredFrom: optionalInstant,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});
