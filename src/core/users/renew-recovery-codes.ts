import type { Clock } from '../shared/clock.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-code.js';
import type { KnownSession } from './session.js';
import { auditSubject, userActor } from './user.js';

/**
 * New recovery codes for a person with a second factor, available only here. Those before stop working, and the person is told by mail.
 * Errors: `not_found`.
 */
export async function renewRecoveryCodes(
  uses: NoticeUses & { store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>; clock: Clock },
  person: KnownSession,
  address: string,
): Promise<readonly string[]> {
  const userId = person.user.id;
  const codes = newRecoveryCodes();
  await uses.store.transaction(person.customer.id, async (transaction) => {
    const { users, factors, audit } = transaction;
    const user = requireFound(await users.lock(userId), 'user');
    if ((await factors.countFactors(userId)) === 0) throw notFound('second_factor');
    await factors.setRecoveryCodes(userId, codes.map(hashRecoveryCode));
    const at = uses.clock.now();
    const made = { action: 'user.recovery_codes_created', subject: auditSubject(user), at } as const;
    await audit.add(userActor(user, address), made);
    const here = { at, address, userAgent: person.session.browser };
    await notifyPerson(uses, transaction, user, { template: 'recovery_codes_created' }, here);
  });
  return codes;
}
