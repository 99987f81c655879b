import type { Customer } from '../customers/customer.js';
import { DAY, MINUTE } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { User } from './user.js';

/** One browser in which a user is signed in. */
export interface Session {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** SHA-256 of what the browser's cookie says: a copy of the database lets nobody in. */
  readonly tokenHash: string;
  /** What pages keep between two requests. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** Where it was last used from. */
  readonly address: string;
  /** What the browser calls itself, at the sign-in. */
  readonly browser: string;
  /** It began with a one-time link, not with a password. */
  readonly byLink: boolean;
}

export type NewSession = Omit<Session, 'customerId' | 'id' | 'userId'>;

/** Whoever does nothing for so long is signed out. */
export const IDLE_MS = DAY;
/** And whatever is done, after so long. */
export const LONGEST_MS = 14 * DAY;
/** `lastSeenAt` is not written more often than this. */
export const SEEN_EVERY_MS = MINUTE;

export function isOver(session: Pick<Session, 'startedAt' | 'lastSeenAt'>, now: Date): boolean {
  const [started, seen] = [session.startedAt.getTime(), session.lastSeenAt.getTime()];
  return now.getTime() >= Math.min(started + LONGEST_MS, seen + IDLE_MS);
}

/** For so long somebody who came by a link may correct the password that was chosen then. */
export const LINK_GRACE_MS = 15 * MINUTE;

/** Whether whoever holds this session may set a password without saying the one before. */
export function maySetPassword({ byLink, startedAt }: Pick<Session, 'byLink' | 'startedAt'>, now: Date): boolean {
  return byLink && now.getTime() - startedAt.getTime() < LINK_GRACE_MS;
}

/** A session with whom it belongs to. */
export interface KnownSession {
  readonly session: Session;
  readonly user: User;
  readonly customer: Pick<Customer, 'id' | 'name' | 'status'>;
}

/** Sessions of all customers, by what a browser shows: asked before the customer is known. */
export interface SessionStore {
  /** Null when there is none any more. Once it was ended, by any process, no look-up finds it. Expired ones are returned: the rule decides. */
  find(tokenHash: string): Promise<KnownSession | null>;
  /** Keeps what pages left. A session that was ended meanwhile stays ended. */
  keep(tokenHash: string, data: Session['data']): Promise<void>;
  /** Notes when and from where it was last used. A session that was ended meanwhile stays ended. */
  touch(tokenHash: string, at: Date, address: string): Promise<void>;
  /** Passes over what is not there. */
  end(tokenHash: string): Promise<void>;
  /** Forgets sessions that began or were last seen before these instants, and answers how many. */
  sweep(startedBefore: Date, seenBefore: Date): Promise<number>;
}
