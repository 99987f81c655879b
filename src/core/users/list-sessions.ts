import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { isOver, type Session } from './session.js';

/** Where a person is signed in, last seen first. */
export async function listSessions(
  { store, clock }: { store: Readable<'users'>; clock: Clock },
  customerId: Id,
  userId: Id,
): Promise<readonly Session[]> {
  const sessions = await store.query(customerId, ({ users }) => users.sessionsOf(userId));
  return sessions.filter((session) => !isOver(session, clock.now()));
}
