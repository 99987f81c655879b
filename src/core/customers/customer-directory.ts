import type { OldEnough } from '../imports/import.js';
import type { Id } from '../shared/ids.js';
import type { Customer, NewCustomer } from './customer.js';

/** Customers as the operator administers them: the one view that is not bound to a single customer. */
export interface CustomerDirectory {
  /** An entry of the audit log is written with it, as by `createFirst`. */
  create(customer: NewCustomer): Promise<Customer>;
  find(id: Id): Promise<Customer | null>;
  /** Every customer, by id ascending. */
  list(): Promise<readonly Customer[]>;
  /** Creates the customer only while there is none at all, exactly once under concurrency; null when there was one. */
  createFirst(customer: NewCustomer): Promise<Customer | null>;
  /** Who has photos in the trash whose `purgeAt` has come. */
  withTrashToPurge(at: Date, window: CustomerWindow): Promise<readonly Id[]>;
  /** Who has open imports whose `expiresAt` has come. */
  withIdleImports(at: Date, window: CustomerWindow): Promise<readonly Id[]>;
  /** Who has webhook endpoints, enabled or not. */
  withWebhookEndpoints(window: CustomerWindow): Promise<readonly Id[]>;
  /** Who has open imports whose `expiresAt` comes after this. */
  withImportsEndingAfter(at: Date, window: CustomerWindow): Promise<readonly Id[]>;
  /** Who has ended imports that are old enough to be forgotten, or items of such. */
  withImportsToForget(old: OldEnough, window: CustomerWindow): Promise<readonly Id[]>;
}

/** Ids over `after` (null: from the first), ascending, at most `limit`. */
export interface CustomerWindow {
  readonly after: Id | null;
  readonly limit: number;
}
