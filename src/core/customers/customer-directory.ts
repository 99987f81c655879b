import type { Actor } from '../audit/actor.js';
import type { OldEnough } from '../imports/import.js';
import type { Id } from '../shared/ids.js';
import type { Customer, NewCustomer } from './customer.js';

/** Customers as the operator administers them: the one view that is not bound to a single customer. */
export interface CustomerDirectory {
  /** An entry of the audit log, in the name of `actor`, is written with it, as by `createFirst`. */
  create(customer: NewCustomer, actor: Actor): Promise<Customer>;
  find(id: Id): Promise<Customer | null>;
  /** Every customer, by id ascending. */
  list(): Promise<readonly Customer[]>;
  /** Creates the customer only while there is none at all, exactly once under concurrency; null when there was one. */
  createFirst(customer: NewCustomer, actor: Actor): Promise<Customer | null>;
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
  /** Who has been closing since this moment or longer. */
  closingSince(at: Date, window: CustomerWindow): Promise<readonly Id[]>;
  /** How many rows there are of a customer who exists or does not, by the names under which they are kept, zeros included; the customer itself is not counted. */
  countRows(id: Id): Promise<RowCounts>;
  /** Removes rows of a customer, those first that no others refer to, a bounded number of them. Answers how many; 0 when none was left. */
  removeRows(id: Id): Promise<number>;
  /**
   * Removes a customer who is closing, of whom no row is left; from then on no row of it can be written. False, and nothing removed,
   * while there are rows; true when there is no such customer (any more). Errors: an Error when the customer is not closing.
   */
  remove(id: Id): Promise<boolean>;
}

/** Rows by the name of what they are kept in. */
export type RowCounts = Readonly<Record<string, number>>;

/** Ids over `after` (null: from the first), ascending, at most `limit`. */
export interface CustomerWindow {
  readonly after: Id | null;
  readonly limit: number;
}
