import type { Id } from '../shared/ids.js';
import type { LeasedDelivery } from './delivery.js';

/** Whom a claim passes over, because enough is being sent to them. */
export interface Busy {
  readonly endpointIds: readonly Id[];
  readonly customerIds: readonly Id[];
}

/** The sender's side: deliveries of all customers. Endpoints are taken in turns, so that one's thousands do not keep another's one waiting. */
export interface DeliveryQueue {
  /**
   * The next due delivery to an enabled endpoint, held for `leaseSeconds` by the database's clock; its `attempt` is already
   * written. Null when nothing is due. No two callers hold one at the same time; one whose lease ran out is due again.
   */
  claim(leaseSeconds: number, busy: Busy): Promise<LeasedDelivery | null>;
  /** Calls `wake` soon after a delivery may have become due. Returns the way to stop it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
  /** Removes deliveries that were made before, of all customers, at most `limit`. Answers how many. */
  sweep(before: Date, limit: number): Promise<number>;
}
