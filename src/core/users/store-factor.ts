import type { Clock } from '../shared/clock.js';
import { DomainError, requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import type { FactorRepository } from './factor-repository.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-code.js';
import { MAX_FACTORS } from './second-factor.js';
import type { KnownSession } from './session.js';
import { auditSubject, userActor } from './user.js';

type StoreUses = NoticeUses & {
  store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  clock: Clock;
};

/**
 * Adds a factor of either kind, and tells the person by mail. Every other browser of the person is signed out: it may be in the hands of
 * whoever has the password. Returns the recovery codes that the first factor brings, otherwise null. Errors: `limit_reached`.
 */
export function storeFactor(
  uses: StoreUses,
  { session, customer }: KnownSession,
  { name, address }: { readonly name: string; readonly address: string },
  insert: (factors: FactorRepository) => Promise<void>,
): Promise<readonly string[] | null> {
  const { userId } = session;
  return uses.store.transaction(customer.id, async (transaction) => {
    const { users, factors, audit } = transaction;
    const user = requireFound(await users.lock(userId), 'user');
    const before = await factors.countFactors(userId);
    if (before >= MAX_FACTORS) throw tooMany();
    await insert(factors);
    const codes = before === 0 ? newRecoveryCodes() : null;
    if (codes !== null) await factors.setRecoveryCodes(userId, codes.map(hashRecoveryCode));
    await users.endSessions(userId, session.id);
    await factors.endPendingOf(userId);
    const at = uses.clock.now();
    await audit.add(userActor(user, address), { action: 'user.factor_added', subject: auditSubject(user), at });
    const here = { at, address, userAgent: session.browser };
    await notifyPerson(uses, transaction, user, { template: 'factor_added', name }, here);
    return codes;
  });
}

function tooMany(): DomainError {
  const message = `A person can have at most ${MAX_FACTORS} second factors. Remove one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_FACTORS, name: 'factors' });
}
