import type { Customer } from '../../../core/customers/customer.js';
import type { Erasure } from '../../../core/customers/customer-directory.js';
import type { Id } from '../../../core/shared/ids.js';
import {
  document,
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  tableOf,
  text,
  whole,
  yesOrNo,
} from '../database/columns.js';

export const customerTable = tableOf<Customer>('customer', 'customers', {
  id: generatedKey,
  name: text,
  status: text,
  defaultTimeZone: text,
  trashRetentionDays: whole,
  storageBytesLimit: optionalBigWhole,
  photosLimit: optionalBigWhole,
  factorsRequiredFrom: optionalInstant,
  settingsIpList: { type: 'text', array: true },
  admitsNewPeople: yesOrNo,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});

/** What the operator API made for an idempotency key; without `createdId` until the transaction ends. */
interface CreationRow {
  readonly key: string;
  readonly fingerprint: string;
  readonly createdId: Id | null;
  readonly startedAt: Date;
}

export const creationTable = tableOf<CreationRow>('customerCreation', 'customer_creations', {
  key: { ...text, primary: true },
  fingerprint: text,
  createdId: optionalBigWhole,
  startedAt: instant,
});

interface ErasureRow {
  readonly erasedId: Id;
  readonly proof: Erasure;
  readonly finishedAt: Date;
}

export const erasureTable = tableOf<ErasureRow>('erasure', 'erasures', {
  erasedId: key,
  proof: document,
  finishedAt: instant,
});
