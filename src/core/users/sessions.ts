import type { Uses } from '../ports.js';
import { after } from '../shared/clock.js';
import { found, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random-token.js';
import { cut } from '../shared/text.js';
import { IDLE_MS, isOver, type KnownSession, LONGEST_MS, SEEN_EVERY_MS, type Session } from './session.js';
import type { User } from './user.js';

interface Browser {
  /** What its cookie says. */
  readonly token: string;
  readonly address: string;
  readonly userAgent: string;
}

/** From here on the browser is signed in. Errors: `not_found` when the user is gone. */
export function openSession(
  { sessions, clock }: Uses<'sessions' | 'clock'>,
  { customerId, id: userId }: Pick<User, 'customerId' | 'id'>,
  { token, address, userAgent }: Browser,
): Promise<Session> {
  const [startedAt, browser] = [clock.now(), cut(userAgent, 300)];
  const tokenHash = hashRandomToken(token);
  return sessions.open({ customerId, userId, tokenHash, data: {}, startedAt, lastSeenAt: startedAt, address, browser });
}

/** The session of a cookie with its user, while it lasts. */
export async function findSession(
  { sessions, clock }: Uses<'sessions' | 'clock'>,
  token: string,
): Promise<KnownSession | null> {
  const known = await sessions.find(hashRandomToken(token));
  return known === null || isOver(known.session, clock.now()) || known.customer.status === 'closing' ? null : known;
}

/** Notes that a session is in use, now and then. */
export async function touchSession(
  { sessions, clock }: Uses<'sessions' | 'clock'>,
  { session }: KnownSession,
  address: string,
): Promise<void> {
  const isFresh = clock.now().getTime() - session.lastSeenAt.getTime() < SEEN_EVERY_MS;
  if (!isFresh || session.address !== address) await sessions.touch(session.tokenHash, clock.now(), address);
}

/** Where somebody is signed in, last seen first. */
export async function listSessions(
  { store, clock }: Uses<'store' | 'clock'>,
  customerId: Id,
  userId: Id,
): Promise<readonly Session[]> {
  const sessions = await store.read(customerId, ({ users }) => users.sessionsOf(userId));
  return sessions.filter((session) => !isOver(session, clock.now()));
}

/** Signs one browser of a user out. Errors: `not_found`. */
export async function revokeSession({ store }: Uses<'store'>, customerId: Id, userId: Id, id: Id): Promise<void> {
  const ended = await store.within(customerId, async ({ users }) => {
    found(await users.lock(userId), 'user');
    return users.endSession(userId, id);
  });
  if (!ended) throw notFound('session');
}

/** Signs every browser of a user out but this one. */
export async function revokeOtherSessions({ store }: Uses<'store'>, { session }: KnownSession): Promise<void> {
  await store.within(session.customerId, ({ users }) => users.endSessions(session.userId, session.id));
}

/** Forgets what is over. Answers how many. */
export function sweepSessions({ sessions, clock }: Uses<'sessions' | 'clock'>): Promise<number> {
  return sessions.sweep(after(clock.now(), -LONGEST_MS), after(clock.now(), -IDLE_MS));
}
