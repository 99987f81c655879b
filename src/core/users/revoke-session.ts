import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import type { KnownSession, Session } from './session.js';
import { auditSubject } from './user.js';

type RevokeUses = { store: Transactional<'users' | 'audit'>; clock: Clock };

type Owner = Pick<Session, 'customerId' | 'userId'>;

/** Signs one browser of a user out. Errors: `not_found`. */
export async function revokeSession(
  { store, clock }: RevokeUses,
  actor: Actor,
  { customerId, userId }: Owner,
  id: Id,
): Promise<void> {
  await store.transaction(customerId, async ({ users, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    if (!(await users.endSession(userId, id))) throw notFound('session');
    await audit.add(actor, { action: 'user.sessions_ended', subject: auditSubject(user), at: clock.now() });
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
    await audit.add(actor, { action: 'user.sessions_ended', subject: auditSubject(user), count, at: clock.now() });
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
    await audit.add(actor, { action: 'user.signed_out', subject: auditSubject(user), at: clock.now() });
  });
}
