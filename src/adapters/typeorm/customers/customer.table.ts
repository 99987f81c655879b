import type { Customer } from '../../../core/customers/customer.js';
import { generatedKey, instant, optionalBigWhole, tableOf, text, whole } from '../database/columns.js';

export const customerTable = tableOf<Customer>('customer', 'customers', {
  id: generatedKey,
  name: text,
  status: text,
  defaultTimeZone: text,
  trashRetentionDays: whole,
  storageBytesLimit: optionalBigWhole,
  photosLimit: optionalBigWhole,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});
