import type { CustomerStatus } from '../customers/customer.js';
import type { Id } from '../shared/ids.js';
import type { NewSession, Session } from './session.js';
import type { NewUser, User } from './user.js';

export interface KnownUser {
  readonly user: User;
  readonly customerStatus: CustomerStatus;
}

/** Users of all customers, for people who are not signed in: called before the customer is known. */
export interface UserStore {
  /** Users with this address, at any customer; by customer ascending. The address in lower case. */
  findByEmail(email: string): Promise<readonly KnownUser[]>;
  /** Users whom this issuer knows by this name, at any customer; by customer ascending. */
  findByIdentity(issuer: string, subject: string): Promise<readonly KnownUser[]>;
  /**
   * The user this link was created for; null when it never existed, was used, or was replaced by another. Expired ones are returned: the
   * caller checks.
   */
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
  /** Reads and locks a user until the transaction ends. */
  lock(id: Id): Promise<User | null>;
  /** Stores a user under a new id; null when another of this customer has the address. */
  insert(user: NewUser): Promise<User | null>;
  /** Stores every value of a locked user. False, with nothing stored, when another of this customer has the address. */
  update(user: User): Promise<boolean>;
  /** The user's sessions are deleted too. Ignores users that do not exist. */
  delete(id: Id): Promise<void>;
  /** Opens a session. Errors: `not_found` when the user does not exist. */
  openSession(id: Id, session: NewSession): Promise<Session>;
  /** Ends one session of a user. False when there is no such session. */
  endSession(id: Id, sessionId: Id): Promise<boolean>;
  /** Ends a user's sessions, all of them or all but one. Returns how many. */
  endSessions(id: Id, but: Id | null): Promise<number>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly users: UserReads;
  }
  interface Repositories {
    readonly users: UserRepository;
  }
}

/** Users who may sign in by a password at all, most recent sign-in first. */
export async function usersOf({ users }: { users: UserStore }, email: string): Promise<User[]> {
  const known = email === '' ? [] : await users.findByEmail(email);
  const open = known.filter(({ user, customerStatus }) => customerStatus !== 'closing' && user.passwordHash !== null);
  return lastSignedInFirst(open.map(({ user }) => user));
}

export function lastSignedInFirst(users: readonly User[]): User[] {
  return users.toSorted((a, b) => (b.lastSignInAt?.getTime() ?? 0) - (a.lastSignInAt?.getTime() ?? 0));
}
