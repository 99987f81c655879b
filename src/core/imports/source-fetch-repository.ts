import type { Id } from '../shared/ids.js';
import type { LeasedFetch, SourceFetch } from './source-fetch.js';

/** Fetches of the bound customer. */
export interface SourceFetchReads {
  /** Null when nothing is to be fetched for the item. */
  get(itemId: Id): Promise<SourceFetch | null>;
}

export interface SourceFetchRepository extends SourceFetchReads {
  /** Due immediately, in place of what their items had. The items, or their imports, must be locked; deleting an item deletes its fetch. */
  put(fetches: readonly SourceFetch[]): Promise<void>;
  /** Stores which version of the file the stored bytes are from. False, with nothing changed, when the lease was lost. */
  setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean>;
  /** Due again after `seconds`, with so many failures. False, with nothing changed, when the lease was lost. */
  release(leased: LeasedFetch, failures: number, seconds: number): Promise<boolean>;
  /** Nothing is fetched any more. False, with nothing changed, when the lease was lost. */
  delete(leased: LeasedFetch): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly sourceFetches: SourceFetchReads;
  }
  interface Repositories {
    readonly sourceFetches: SourceFetchRepository;
  }
}
