import type { Uses } from '../ports.js';
import { found, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { KnownSession } from './session.js';

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
