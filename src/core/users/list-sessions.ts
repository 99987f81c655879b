import type { Uses } from '../ports.js';
import type { Id } from '../shared/ids.js';
import { isOver, type Session } from './session.js';

/** Where a person is signed in, last seen first. */
export async function listSessions(
  { store, clock }: Uses<'store' | 'clock'>,
  customerId: Id,
  userId: Id,
): Promise<readonly Session[]> {
  const sessions = await store.query(customerId, ({ users }) => users.sessionsOf(userId));
  return sessions.filter((session) => !isOver(session, clock.now()));
}
