import type { Uses } from '../../src/core/ports.js';
import { type Browser, newSession, type Session } from '../../src/core/users/session.js';
import type { User } from '../../src/core/users/user.js';

/** Signs a user in without a password or link. */
export function openSession(
  { store, clock }: Uses<'store' | 'clock'>,
  { customerId, id }: User,
  { byLink, ...browser }: Browser & Pick<Session, 'byLink'>,
): Promise<Session> {
  return store.transaction(customerId, ({ users }) => users.openSession(id, newSession(browser, clock.now(), byLink)));
}
