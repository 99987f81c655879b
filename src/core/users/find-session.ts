import { after, type Clock } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import { IDLE_MS, isOver, type KnownSession, LONGEST_MS, SEEN_EVERY_MS, type SessionStore } from './session.js';

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
