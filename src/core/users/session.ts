import type { Customer } from '../customers/customer.js';
import { DAY, MINUTE } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { User } from './user.js';

/** One browser in which a user is signed in. */
export interface Session {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** SHA-256 of the cookie's value: a copy of the database does not sign anyone in. */
  readonly tokenHash: string;
  /** What pages store between two requests. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** The address from which it was last used. */
  readonly address: string;
  /** The browser's user agent at sign-in. */
  readonly browser: string;
  /** It began with a one-time link, not with a password. */
  readonly byLink: boolean;
  /** When the person last proved who they are: at sign-in, or when asked for the password again. */
  readonly confirmedAt: Date;
}

export type NewSession = Omit<Session, 'customerId' | 'id' | 'userId'>;

/** A person is signed out after this long without activity. */
export const IDLE_MS = DAY;
/** And after this long in any case. */
export const LONGEST_MS = 14 * DAY;
/** `lastSeenAt` is not written more often than this. */
export const SEEN_EVERY_MS = MINUTE;

export function isOver(session: Pick<Session, 'startedAt' | 'lastSeenAt'>, now: Date): boolean {
  const [started, seen] = [session.startedAt.getTime(), session.lastSeenAt.getTime()];
  return now.getTime() >= Math.min(started + LONGEST_MS, seen + IDLE_MS);
}

/** How long a person who signed in by a link may correct the password chosen then. */
const LINK_GRACE_MS = 15 * MINUTE;

/** For how long after a password nobody is asked for it again. */
export const CONFIRMED_MS = 15 * MINUTE;

/** Whether the person proved a moment ago who they are. A stolen cookie alone never does (OWASP ASVS 5.0, 7.5). */
export function isConfirmed({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Date): boolean {
  return now.getTime() - confirmedAt.getTime() < CONFIRMED_MS;
}

/**
 * Whether this session may set a password without giving the current one: soon after a link; or if there is neither a password nor a second
 * factor, because a provider signs the person in, soon after that was asked.
 */
export function maySetPassword(
  { session, user, hasFactor }: Pick<KnownSession, 'session' | 'user' | 'hasFactor'>,
  now: Date,
): boolean {
  if (session.byLink && now.getTime() - session.startedAt.getTime() < LINK_GRACE_MS) return true;
  return user.passwordHash === null && !hasFactor && isConfirmed(session, now);
}

/** A session and its user. */
export interface KnownSession {
  readonly session: Session;
  readonly user: User;
  readonly customer: Pick<Customer, 'id' | 'name' | 'status' | 'factorsRequiredFrom' | 'settingsIpList'>;
  /** The person signs in with a second factor. */
  readonly hasFactor: boolean;
}

/** Sessions of all customers, by the cookie of a browser: called before the customer is known. */
export interface SessionStore {
  /** Null when there is none (any more). Once any process has ended it, no look-up finds it. Expired ones are returned: the caller checks. */
  find(tokenHash: string): Promise<KnownSession | null>;
  /** Stores the data of pages. A session that was ended meanwhile stays ended. */
  keep(tokenHash: string, data: Session['data']): Promise<void>;
  /** Records when and from where it was last used. A session that was ended meanwhile stays ended. */
  touch(tokenHash: string, at: Date, address: string): Promise<void>;
  /** Records that its person proved who they are. A session that was ended meanwhile stays ended. */
  confirm(tokenHash: string, at: Date): Promise<void>;
  /** Ignores sessions that do not exist. */
  end(tokenHash: string): Promise<void>;
  /** Deletes sessions that began or were last seen before these times, and returns how many. */
  sweep(startedBefore: Date, seenBefore: Date): Promise<number>;
}
