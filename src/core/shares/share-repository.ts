import type { Id } from '../shared/ids.js';
import type { KnownShare, NewShare, Share } from './share.js';

/** Shares of the bound customer. */
export interface ShareReads {
  get(id: Id): Promise<Share | null>;
  /** All of them, newest first. */
  list(): Promise<readonly Share[]>;
}

export interface ShareRepository extends ShareReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<Share | null>;
  /** Stores it under a new id, without visits or uploads. */
  insert(share: NewShare): Promise<Share>;
  /** Stores every field. It must be locked. */
  update(share: Share): Promise<void>;
  /** From the commit on, no process finds it any more. */
  delete(id: Id): Promise<void>;
}

/** Shares of all customers: asked before it is known whose photos a link shows. */
export interface ShareFinder {
  /**
   * The share with this hash of its token, with its customer's status; null when there is none (any more). Nothing is remembered between
   * calls. Expired shares are returned: the caller checks.
   */
  find(tokenHash: string): Promise<KnownShare | null>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly shares: ShareReads;
  }
  interface Repositories {
    readonly shares: ShareRepository;
  }
}
