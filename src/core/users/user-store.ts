import type { CustomerStatus } from '../customers/customer.js';
import type { Id } from '../shared/ids.js';
import type { NewSession, Session } from './session.js';
import type { NewUser, User } from './user.js';

export interface KnownUser {
  readonly user: User;
  readonly customerStatus: CustomerStatus;
}

/** Users of all customers, for those who are not signed in: asked before the customer is known. */
export interface UserStore {
  /** Who has this address, at whichever customers; by customer ascending. The address in lower case. */
  findByEmail(email: string): Promise<readonly KnownUser[]>;
  /** Who this link was made for; null when it never was, was used, or another took its place. Expired ones are returned: the rule decides. */
  findByLink(linkHash: string): Promise<KnownUser | null>;
}

export interface UserReads {
  get(id: Id): Promise<User | null>;
  /** Everyone, oldest first. */
  list(): Promise<readonly User[]>;
  /** Where a user is signed in, last seen first; expired sessions too. */
  sessionsOf(id: Id): Promise<readonly Session[]>;
}

export interface UserRepository extends UserReads {
  /** Reads and holds a user until the transaction ends. */
  lock(id: Id): Promise<User | null>;
  /** Stores a user under a new id; null when another of this customer has the address. */
  insert(user: NewUser): Promise<User | null>;
  /** Stores every value of a user who is held. False, and nothing is stored, when another of this customer has the address. */
  update(user: User): Promise<boolean>;
  /** The user's sessions go too. Passes over who is not there. */
  delete(id: Id): Promise<void>;
  /** Opens a session. Errors: `not_found` when the user is not there (any more). */
  openSession(id: Id, session: NewSession): Promise<Session>;
  /** Ends one session of a user. False when there is no such session. */
  endSession(id: Id, sessionId: Id): Promise<boolean>;
  /** Ends a user's sessions, all of them or all but one. Answers how many. */
  endSessions(id: Id, but: Id | null): Promise<number>;
}
