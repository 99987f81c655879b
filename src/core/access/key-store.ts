import type { Actor } from '../audit/audit-entry.js';
import type { CustomerStatus } from '../customers/customer.js';
import type { StoreResponse } from '../idempotency/idempotency-store.js';
import type { JobWork } from '../jobs/job.js';
import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Precondition } from '../shared/transactional.js';
import type { ApiKey, KeySettings, NewApiKey } from './api-key.js';

export interface KnownKey {
  readonly key: ApiKey;
  readonly customerStatus: CustomerStatus;
}

/** Keys of all customers: the only port that is called before the customer is known. */
export interface KeyStore {
  /**
   * The key with this hash, with its customer's status, or null when it never existed or is deleted. Expired keys are returned: the caller
   * checks. Once `delete` has resolved, no look-up on any process finds the key any more.
   */
  findByHash(tokenHash: string): Promise<KnownKey | null>;
  /** The same for a key that is not deleted, by id. As fast as `findByHash`, however many calls are concurrent. */
  find(id: Id): Promise<KnownKey | null>;
  /** Keys of one customer that are not deleted, oldest first. */
  list(customerId: Id): Promise<readonly ApiKey[]>;
  /**
   * Stores a key under a new id, and with it the event `api_key.created`, an entry of the audit log in the name of `actor`, these jobs, and what
   * `storeResponse` stores; if that fails, there is no key. Errors: `not_found` (customer), `limit_reached` over 100 keys of one customer, exact
   * under concurrency.
   */
  create(
    key: NewApiKey,
    actor: Actor,
    works?: readonly JobWork[],
    storeResponse?: StoreResponse<ApiKey>,
  ): Promise<ApiKey>;
  /**
   * Changes what is given, with immediate effect on every process; what is absent stays, as it is by then. An entry of the audit log names
   * what changed. Null when there is no such key (any more). `check` is called with the key, which nobody else changes meanwhile: if it
   * throws, nothing is changed.
   */
  update(
    id: Id,
    changes: Partial<KeySettings>,
    at: Date,
    actor: Actor,
    check?: Precondition<ApiKey>,
  ): Promise<ApiKey | null>;
  /**
   * Marks the key deleted, and with it writes the event `api_key.deleted`, an entry of the audit log, and what `storeResponse` stores; if
   * that fails, the key stays. False when there is no such key (any more). `check` as for `update`.
   */
  delete(
    id: Id,
    at: Date,
    actor: Actor,
    storeResponse?: StoreResponse<void>,
    check?: Precondition<ApiKey>,
  ): Promise<boolean>;
  /**
   * Records uses of keys: the latest one, and each address. Best effort, never older than what is stored; unknown ids are ignored.
   * Addresses of these keys that were last seen two days before the newest of these uses are deleted.
   */
  touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void>;
  /** Addresses from which a customer's key was used since then, newest first, at most 100. None for a key of another customer. */
  addressesOf(customerId: Id, id: Id, since: Date): Promise<readonly KeyAddress[]>;
}

export interface KeyAddress {
  readonly address: string;
  readonly lastSeenAt: Date;
}

/** Period for which addresses are retained before the newest use of their key. */
export const ADDRESS_RETENTION_MS = 2 * DAY;
export const MAX_LISTED_ADDRESSES = 100;

/** Keys that one customer may have. */
export const MAX_KEYS = 100;
