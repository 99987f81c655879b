import type { Id } from '../shared/ids.js';
import type { LeasedFetch, SourceFetch } from './source-fetch.js';

/** What a claim skips, because enough is being fetched. */
export interface BusySources {
  readonly customerIds: readonly Id[];
  /** Those of one customer each. */
  readonly hosts: readonly Pick<SourceFetch, 'customerId' | 'host'>[];
}

/** The side of those who fetch: fetches of all customers, in turns, so that one customer's thousands do not delay another's single one. */
export interface FetchQueue {
  /**
   * The next due fetch of an active customer, leased for `leaseSeconds` by the database's clock. Null when nothing is due. No two callers
   * hold one at the same time; one whose lease has expired is due again.
   */
  claim(leaseSeconds: number, busy: BusySources): Promise<LeasedFetch | null>;
  /** Extends the lease. False when it was lost, or the item does not wait for this fetch any more: it must stop. */
  extend(leased: LeasedFetch, leaseSeconds: number): Promise<boolean>;
  /** Calls `wake` soon after a fetch may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
}
