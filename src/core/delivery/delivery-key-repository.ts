import type { Id } from '../shared/ids.js';
import type { DeliveryKey, KnownDeliveryKey, NewDeliveryKey } from './delivery-key.js';

/** Delivery keys of the bound customer. */
export interface DeliveryKeyReads {
  get(id: Id): Promise<DeliveryKey | null>;
  /** All of them, oldest first. */
  list(): Promise<readonly DeliveryKey[]>;
}

export interface DeliveryKeyRepository extends DeliveryKeyReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<DeliveryKey | null>;
  insert(key: NewDeliveryKey): Promise<DeliveryKey>;
  /** Stores every field. It must be locked. */
  update(key: DeliveryKey): Promise<void>;
  /** From the commit on, no process finds it any more. */
  delete(id: Id): Promise<void>;
}

/** Delivery keys of all customers: asked before it is known whose picture an address shows. */
export interface DeliveryKeyFinder {
  /**
   * The key that addresses name so, with its customer's status; null when there is none (any more). Nothing is remembered between calls.
   * Expired keys are returned: the caller checks.
   */
  find(publicId: string): Promise<KnownDeliveryKey | null>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly deliveryKeys: DeliveryKeyReads;
  }
  interface Repositories {
    readonly deliveryKeys: DeliveryKeyRepository;
  }
}
