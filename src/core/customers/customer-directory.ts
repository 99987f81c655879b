import type { AuditTrail } from '../audit/audit-log.js';
import type { BlobKind } from '../blobs/blob-key.js';
import type { Clock } from '../shared/clock.js';
import { isOutage, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Customer, NewCustomer } from './customer.js';

/** Customers as the operator administers them: the only repository that is not bound to a single customer. */
export interface CustomerDirectory {
  find(id: Id): Promise<Customer | null>;
  /** Every customer, by id ascending. */
  list(): Promise<readonly Customer[]>;
  /** Customers by id ascending. */
  page(window: CustomerWindow): Promise<readonly Customer[]>;
  /**
   * Creates customers: all or nothing, and one transaction after the other, so that what `work` has read of customers and their creation stays
   * true. As in `Transactional`, it may be run again from its beginning.
   */
  transaction<T>(work: (transaction: CustomerCreation) => Promise<T>): Promise<T>;
  /**
   * Customers that own rows in this table (named as by `countRows`) which meet one of these conditions; without conditions, any rows.
   */
  owning<Row>(table: string, window: CustomerWindow, ...anyOf: readonly RowCondition<Row>[]): Promise<readonly Id[]>;
  /** Customers that have been closing since this time or longer. */
  closingSince(at: Date, window: CustomerWindow): Promise<readonly Id[]>;
  /**
   * The number of rows of a customer, existing or not, by the name under which they are stored, zeros included; the customer itself is not
   * counted.
   */
  countRows(id: Id): Promise<RowCounts>;
  /** Removes a bounded number of a customer's rows, starting with those that no others refer to. Returns how many; 0 when none was left. */
  removeRows(id: Id): Promise<number>;
  /** Stores how many bytes the renditions of each customer take: none of those that are not named. Customers that do not exist are ignored. */
  setRenditionBytes(bytes: ReadonlyMap<Id, number>): Promise<void>;
  /**
   * Removes a closing customer that has no rows left; from then on no row of it can be written. False, with nothing removed, while there
   * are rows; true when there is no such customer. Errors: an Error when the customer is not closing.
   */
  remove(id: Id): Promise<boolean>;
  /** Stores the proof of an erasure, which outlives the customer. One that is complete is never replaced. */
  recordErasure(erasure: Erasure): Promise<void>;
  /** Null: no erasure of this customer was recorded. */
  findErasure(id: Id): Promise<Erasure | null>;
}

/** Customers, inside a transaction that creates one. */
export interface CustomerCreation extends Pick<CustomerDirectory, 'find'> {
  any(): Promise<boolean>;
  /** Stores a customer under a new id. */
  insert(customer: NewCustomer): Promise<Customer>;
  /** The audit log of a customer. */
  auditOf(id: Id): Pick<AuditTrail, 'add'>;
  findRequest(key: string): Promise<CreationRequest | null>;
  /** Its key must not be in use. */
  addRequest(request: CreationRequest): Promise<void>;
  /** Frees the keys of requests from before. */
  forgetRequests(before: Date): Promise<void>;
}

/** The request that created a customer, by its idempotency key. */
export interface CreationRequest {
  readonly key: string;
  /** Equal for equal requests only. */
  readonly fingerprint: string;
  readonly createdId: Id;
  readonly startedAt: Date;
}

/** Rows whose fields have all of these values, or are instants in these periods. */
export type RowCondition<Row> = { readonly [Field in keyof Row]?: Row[Field] | Period };

/** Up to and including an instant, before one, or after one. */
export type Period = { readonly until: Date } | { readonly before: Date } | { readonly after: Date };

/** Blobs by kind, and their bytes. */
export type BlobCounts = Record<BlobKind | 'bytes', number>;

/** The record of an erasure: what was there, what was removed, and what a final check found. */
export interface Erasure {
  readonly customerId: Id;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly rowsBefore: RowCounts;
  /** All zeros, unless a request wrote at the very end. */
  readonly rowsAfter: RowCounts;
  /** Blobs that this run removed, and their bytes. A run that was interrupted has removed others before. */
  readonly blobsRemoved: Readonly<BlobCounts>;
  readonly blobsAfter: Readonly<BlobCounts>;
  /** The final check found no row and no blob, and the customer does not exist. */
  readonly complete: boolean;
}

/** Row counts by the name of where they are stored. */
export type RowCounts = Readonly<Record<string, number>>;

/** Ids after `after` (null: from the first), ascending, at most `limit`. */
export interface CustomerWindow {
  readonly after: Id | null;
  readonly limit: number;
}

const PAGE = 100;

/**
 * Runs a task for one customer after another, as `find` returns them, until the signal aborts. A failure for one customer stops the others
 * only if it is an outage; it is thrown at the end.
 */
export async function forEachCustomer(
  find: (window: CustomerWindow) => Promise<readonly Id[]>,
  work: (customerId: Id) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (let after: Id | null = null; ; ) {
    const page = await find({ after, limit: PAGE });
    for (const customerId of page) {
      if (stopping?.aborted) return;
      try {
        await work(customerId);
      } catch (error) {
        if (isOutage(error)) throw error;
        failures.push(error);
      }
    }
    after = page.at(-1) ?? null;
    if (page.length < PAGE) break;
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `Failed for ${failures.length} customers.`);
}

/** The customers of an installation, oldest first. Errors: `invalid_cursor`. */
export function listCustomers(
  uses: { customers: CustomerDirectory; secrets: Secrets; clock: Clock },
  request: PageRequest,
): Promise<Page<Customer>> {
  const listing = {
    // Cursors are bound to a customer; those of the operator's lists to none.
    customerId: 0,
    list: 'operator/customers',
    sort: 'id',
    filters: {},
    ...orderById<Customer>(),
    rows: ({ after, limit }: PageWindow) => uses.customers.page({ after: after?.id ?? null, limit }),
  };
  return readPage(uses, listing, request);
}

/** Errors: `not_found`. */
export async function findCustomer({ customers }: { customers: CustomerDirectory }, id: Id): Promise<Customer> {
  return requireFound(await customers.find(id), 'customer');
}
