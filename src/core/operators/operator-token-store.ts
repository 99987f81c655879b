import type { Actor } from '../audit/actor.js';
import type { Id } from '../shared/ids.js';
import type { NewOperatorToken, OperatorToken, OperatorTokenSettings } from './operator-token.js';

/** The tokens of the operator. Each change is committed with an entry of the operator's log in the name of `actor`, or neither is. */
export interface OperatorTokenStore {
  /**
   * The token with this hash; null when it never existed or is deleted. Expired tokens are returned: the caller checks. Once `delete` has
   * resolved, no look-up on any process finds the token any more.
   */
  findByHash(tokenHash: string): Promise<OperatorToken | null>;
  /** Every token, those that were deleted included, oldest first. */
  list(): Promise<readonly OperatorToken[]>;
  /** Stores a token under a new id. Errors: `limit_reached` over 100 that are not deleted, exact under concurrency. */
  create(token: NewOperatorToken, actor: Actor): Promise<OperatorToken>;
  /**
   * Changes what is given, with immediate effect on every process; what is absent stays, as it is by then. Null when there is no such token
   * (any more). Without a difference there is no entry.
   */
  update(id: Id, changes: Partial<OperatorTokenSettings>, at: Date, actor: Actor): Promise<OperatorToken | null>;
  /** Marks the token deleted. False when there is no such token (any more). */
  delete(id: Id, at: Date, actor: Actor): Promise<boolean>;
}
