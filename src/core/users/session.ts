import type { IpCountries } from '../access/ip-list.js';
import type { Actor } from '../audit/audit-entry.js';
import type { Customer } from '../customers/customer.js';
import { after, type Clock, DAY, MINUTE } from '../shared/clock.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken, readToken, type Secrets, signToken } from '../shared/secrets.js';
import { truncate } from '../shared/text.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { auditUser, type User } from './user.js';

/** One browser in which a user is signed in. */
export interface Session {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  /** SHA-256 of the cookie's value: a copy of the database does not sign anyone in. */
  readonly tokenHash: string;
  /** The values that pages store between two requests. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** The address from which it was last used. */
  readonly address: string;
  /** The browser's user agent at sign-in. */
  readonly browser: string;
  /** It started with a one-time link, not with a password. */
  readonly byLink: boolean;
  /** When the person last proved who they are: at sign-in, or when asked for the password again. */
  readonly confirmedAt: Date;
}

export type NewSession = Omit<Session, 'customerId' | 'id' | 'userId'>;

/** A person is signed out after this long without activity. */
const IDLE_MS = DAY;
/** And after this long in any case. */
export const LONGEST_MS = 14 * DAY;
/** `lastSeenAt` is not written more often than this. */
const SEEN_EVERY_MS = MINUTE;

export function isOver(session: Pick<Session, 'startedAt' | 'lastSeenAt'>, now: Date): boolean {
  const [started, seen] = [session.startedAt.getTime(), session.lastSeenAt.getTime()];
  return now.getTime() >= Math.min(started + LONGEST_MS, seen + IDLE_MS);
}

/** Period in which a person who signed in by a link may correct the password chosen then. */
const LINK_GRACE_MS = 15 * MINUTE;

/** The time after a password for which it is not asked for again. */
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

export interface KnownSession {
  readonly session: Session;
  readonly user: User;
  readonly customer: Pick<Customer, 'id' | 'name' | 'status' | 'factorsRequiredFrom' | 'settingsIpList'>;
  /** The person signs in with a second factor. */
  readonly hasFactor: boolean;
}

/** Sessions of all customers, by the cookie of a browser: called before the customer is known. */
export interface SessionStore {
  /** Null when there is none. Once any process has ended it, no look-up finds it. Expired ones are returned: the caller checks. */
  find(tokenHash: string): Promise<KnownSession | null>;
  /** Stores the data of pages. A session that was ended meanwhile stays ended. */
  keep(tokenHash: string, data: Session['data']): Promise<void>;
  /** Records when and from where it was last used. A session that was ended meanwhile stays ended. */
  touch(tokenHash: string, at: Date, address: string): Promise<void>;
  /** Records that its person proved who they are. A session that was ended meanwhile stays ended. */
  confirm(tokenHash: string, at: Date): Promise<void>;
  /** Ignores sessions that do not exist. */
  end(tokenHash: string): Promise<void>;
  /** Deletes sessions that started or were last seen before these times, and returns how many. */
  sweep(startedBefore: Date, seenBefore: Date): Promise<number>;
}

export interface Browser {
  /** The content of its cookie. */
  readonly token: string;
  /** IP address that the request came from. */
  readonly address: string;
  /** The same, for IP lists: null if a proxy did not report the address of its client. */
  readonly namedAddress: string | null;
  readonly userAgent: string;
}

/** Characters that are stored of the name that a browser gives itself. */
const MAX_USER_AGENT = 300;

/** The session to store for a browser that signs in; `byLink`: with a one-time link, not with a password. */
export function newSession({ token, address, userAgent }: Browser, startedAt: Date, byLink: boolean): NewSession {
  const tokenHash = hashRandomToken(token);
  const browser = truncate(userAgent, MAX_USER_AGENT);
  return { tokenHash, data: {}, startedAt, lastSeenAt: startedAt, confirmedAt: startedAt, address, browser, byLink };
}

/** The session of a cookie with its user, unless it has ended. */
export async function findSession(
  { sessions, clock }: { sessions: SessionStore; clock: Clock },
  token: string,
): Promise<KnownSession | null> {
  const known = await sessions.find(hashRandomToken(token));
  return known === null || isOver(known.session, clock.now()) || known.customer.status === 'closing' ? null : known;
}

/** Records from time to time that a session is in use. */
export async function touchSession(
  { sessions, clock }: { sessions: SessionStore; clock: Clock },
  { session }: KnownSession,
  address: string,
): Promise<void> {
  const isFresh = clock.now().getTime() - session.lastSeenAt.getTime() < SEEN_EVERY_MS;
  if (!isFresh || session.address !== address) await sessions.touch(session.tokenHash, clock.now(), address);
}

/** Deletes sessions that have ended. Returns how many. */
export function sweepSessions({ sessions, clock }: { sessions: SessionStore; clock: Clock }): Promise<number> {
  return sessions.sweep(after(clock.now(), -LONGEST_MS), after(clock.now(), -IDLE_MS));
}

/** A session, and where in the world it is. */
export interface ListedSession extends Session {
  /** In which its address is registered; null if that is not known. */
  readonly country: string | null;
}

/** Where a person is signed in, last seen first. */
export async function listSessions(
  { store, clock, ipCountries }: { store: Readable<'users'>; clock: Clock; ipCountries: IpCountries },
  customerId: Id,
  userId: Id,
): Promise<readonly ListedSession[]> {
  const sessions = await store.query(customerId, ({ users }) => users.sessionsOf(userId));
  const open = sessions.filter((session) => !isOver(session, clock.now()));
  return Promise.all(
    open.map(async (session) => ({ ...session, country: await ipCountries.countryOf(session.address) })),
  );
}

type RevokeUses = { store: Transactional<'users' | 'audit'>; clock: Clock };

/** Signs one browser of a user out. Errors: `not_found`. */
export async function revokeSession(
  { store, clock }: RevokeUses,
  actor: Actor,
  { customerId, userId }: Pick<Session, 'customerId' | 'userId'>,
  id: Id,
): Promise<void> {
  await store.transaction(customerId, async ({ users, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    if (!(await users.endSession(userId, id))) throw notFound('session');
    await auditUser(audit, actor, user, { action: 'user.sessions_ended', at: clock.now() });
  });
}

/** Signs a user out of every browser except this one. */
export async function revokeOtherSessions(
  { store, clock }: RevokeUses,
  actor: Actor,
  { session, user }: Pick<KnownSession, 'session' | 'user'>,
): Promise<void> {
  await store.transaction(session.customerId, async ({ users, audit }) => {
    const count = await users.endSessions(session.userId, session.id);
    if (count === 0) return;
    await auditUser(audit, actor, user, { action: 'user.sessions_ended', count, at: clock.now() });
  });
}

/** Signs a user out of the browser that makes the request. Nothing happens when it is signed out already. */
export async function signOut(
  { store, clock }: RevokeUses,
  actor: Actor,
  { session, user }: Pick<KnownSession, 'session' | 'user'>,
): Promise<void> {
  await store.transaction(session.customerId, async ({ users, audit }) => {
    if (!(await users.endSession(session.userId, session.id))) return;
    await auditUser(audit, actor, user, { action: 'user.signed_out', at: clock.now() });
  });
}

/** Sessions that a browser keeps beside the one that it uses. */
export const MAX_OTHER_ACCOUNTS = 4;

/** A session that the browser could use instead. */
export interface OtherAccount {
  /** The token that its cookie would contain. */
  readonly token: string;
  readonly known: KnownSession;
}

/** The cookie with the tokens of a person's other sessions. Signed, so that no one else adds a session of their own. */
export function newAccountsCookie(secrets: Secrets, tokens: readonly string[]): string {
  return signToken(secrets, 'accounts', tokens);
}

/** The other sessions of a browser that are open, of the person who is signed in. */
export async function otherAccounts(
  uses: { sessions: SessionStore; secrets: Secrets; clock: Clock },
  cookie: string,
  current: KnownSession,
): Promise<readonly OtherAccount[]> {
  const tokens = (readToken(uses.secrets, 'accounts', cookie) ?? []) as readonly string[];
  const found = await Promise.all(
    tokens.slice(0, MAX_OTHER_ACCOUNTS).map(async (token) => ({ token, known: await findSession(uses, token) })),
  );
  return found.flatMap(({ token, known }) =>
    known && isAnotherAccountOf(known, current.user) ? { token, known } : [],
  );
}

/**
 * Whether a session is one of the same person at another customer. That it is the same address is enough: a browser with both sessions has
 * signed in to both.
 */
export function isAnotherAccountOf({ user }: KnownSession, { email, customerId }: User): boolean {
  return email !== null && user.email === email && user.customerId !== customerId;
}
