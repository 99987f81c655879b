import type { Actor } from '../audit/actor.js';
import type { CustomerStatus } from '../customers/customer.js';
import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { ApiKey, KeySettings, NewApiKey } from './api-key.js';

export interface KnownKey {
  readonly key: ApiKey;
  readonly customerStatus: CustomerStatus;
}

/** Keys of all customers: the only port that is asked before the customer is known. */
export interface KeyStore {
  /**
   * The key of this hash, with its customer's status, or null when it never was or is deleted. Expired keys are returned: the rule decides.
   * Once `delete` has resolved, no look-up on any process finds the key any more.
   */
  findByHash(tokenHash: string): Promise<KnownKey | null>;
  /** The same of a key that is not deleted, by id. As quick as `findByHash`, however many ask at once. */
  find(id: Id): Promise<KnownKey | null>;
  /** Keys of one customer that are not deleted, oldest first. */
  list(customerId: Id): Promise<readonly ApiKey[]>;
  /**
   * Stores a key under a new id. Errors: `not_found` (customer), `limit_reached` over 100 keys of one customer, exact under concurrency.
   * The event `api_key.created` and an entry of the audit log, in the name of `actor`, are written with it.
   */
  create(key: NewApiKey, actor: Actor): Promise<ApiKey>;
  /** Changes what may change of a key, at once and everywhere; an entry of the audit log names what did. Null when there is no such key (any more). */
  update(id: Id, settings: KeySettings, at: Date, actor: Actor): Promise<ApiKey | null>;
  /** Marks the key deleted, and writes the event `api_key.deleted` and an entry of the audit log with it. False when there is no such key (any more). */
  delete(id: Id, at: Date, actor: Actor): Promise<boolean>;
  /**
   * Notes uses of keys: the last one, and each address. Best effort, never older than what is kept; unknown ids are passed over. Of the
   * same keys, addresses that were last seen two days before the newest of these uses are forgotten.
   */
  touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void>;
  /** Where a customer's key was used from since then, newest first, at most 100. None of a key that is not this customer's. */
  addressesOf(customerId: Id, id: Id, since: Date): Promise<readonly KeyAddress[]>;
}

export interface KeyAddress {
  readonly address: string;
  readonly lastSeenAt: Date;
}

/** How long addresses are kept beside the newest use of their key. */
export const ADDRESS_RETENTION_MS = 2 * DAY;
export const MAX_LISTED_ADDRESSES = 100;

/** Keys that one customer may have (API.md §9). */
export const MAX_KEYS = 100;
