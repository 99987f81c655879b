import type { Id } from '../shared/ids.js';
import type { LeasedDelivery } from './delivery.js';

/** An attempt takes 15 seconds at most; a killed process's deliveries are due again after this. */
export const DELIVERY_LEASE_SECONDS = 30;

/** Endpoints and customers that a claim skips, because enough is being sent to them. */
export interface Busy {
  readonly endpointIds: readonly Id[];
  readonly customerIds: readonly Id[];
}

/** The sender's side: deliveries of all customers. Endpoints take turns, so that one's thousands do not delay another's single one. */
export interface DeliveryQueue {
  /**
   * The next due delivery to an enabled endpoint on the network, leased for `leaseSeconds` by the database's clock; its `attempt` is
   * already incremented. Null when nothing is due. No two callers hold one at the same time; one whose lease has expired is due again.
   */
  claim(leaseSeconds: number, busy: Busy): Promise<LeasedDelivery | null>;
  /** The same of one endpoint alone, for the program that listens there. */
  claimOf(
    endpoint: Pick<LeasedDelivery, 'customerId' | 'endpointId'>,
    leaseSeconds: number,
  ): Promise<LeasedDelivery | null>;
  /** Calls `wake` soon after a delivery may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
  /** Removes deliveries created earlier than this, of all customers, at most `limit`. Returns how many. */
  sweep(before: Date, limit: number): Promise<number>;
  /** Removes the bodies of deliveries created earlier than this, of all customers, at most `limit`. Returns how many had some. */
  sweepBodies(before: Date, limit: number): Promise<number>;
}
