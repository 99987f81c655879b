import type { Clock } from '../shared/clock.js';
import { invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type PeopleManager, requireMayManage } from './role.js';
import type { KnownSession } from './session.js';
import { auditSubject } from './user.js';

interface Unlinking {
  readonly userId: Id;
  readonly identityId: Id;
}

/**
 * A person can no longer sign in by this identity, until the address is linked again. Every browser of the person is signed out, but not the one
 * that asks. Errors: `not_found`, `scope_required`; `invalid_request` for somebody who would be left without any way in.
 */
export async function unlinkIdentity(
  { store, clock }: { store: Transactional<'users' | 'factors' | 'identities' | 'audit'>; clock: Clock },
  caller: PeopleManager,
  { session }: Pick<KnownSession, 'session'>,
  { userId, identityId }: Unlinking,
): Promise<void> {
  const isSelf = session.userId === userId;
  await store.transaction(caller.customerId, async ({ users, factors, identities, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    if (!isSelf) requireMayManage(caller, 'admin', user.role);
    if (!(await identities.delete(userId, identityId))) throw notFound('identity');
    if (isSelf && user.passwordHash === null && (await identities.of(userId)).length === 0) throw lastWayIn();
    await users.endSessions(userId, isSelf ? session.id : null);
    await factors.endPendingOf(userId);
    const unlinked = { action: 'user.identity_unlinked', subject: auditSubject(user), at: clock.now() } as const;
    await audit.add(caller.actor, unlinked);
  });
}

function lastWayIn() {
  const message = 'You could no longer sign in. Set a password first.';
  return invalid({ field: 'identity', code: 'conflict', message });
}
