import type { CustomerStatus } from '../customers/customer.js';
import type { Id } from '../shared/ids.js';
import type { ApiKey, NewApiKey } from './api-key.js';

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
  /** A key that is not deleted, by id. */
  find(id: Id): Promise<KnownKey | null>;
  /** Keys of one customer that are not deleted, oldest first. */
  list(customerId: Id): Promise<readonly ApiKey[]>;
  /**
   * Stores a key under a new id. Errors: `not_found` (customer), `limit_reached` over 100 keys of one customer, exact under concurrency.
   * The event `api_key.created` is written with it.
   */
  create(key: NewApiKey): Promise<ApiKey>;
  /** Marks the key deleted, and writes the event `api_key.deleted` with it. False when there is no such key (any more). */
  delete(id: Id, at: Date): Promise<boolean>;
  /** Notes the last use of keys. Best effort, never older than what is kept; unknown ids are passed over. */
  touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void>;
}

/** Keys that one customer may have (API.md §9). */
export const MAX_KEYS = 100;
