import type { Clock } from '../shared/clock.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-code.js';
import type { KnownSession } from './session.js';
import { auditSubject, userActor } from './user.js';

/** New recovery codes for a person with a second factor, available only here. Those before stop working. Errors: `not_found`. */
export async function renewRecoveryCodes(
  { store, clock }: { store: Transactional<'users' | 'factors' | 'audit'>; clock: Clock },
  person: KnownSession,
  address: string,
): Promise<readonly string[]> {
  const userId = person.user.id;
  const codes = newRecoveryCodes();
  await store.transaction(person.customer.id, async ({ users, factors, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    if ((await factors.countFactors(userId)) === 0) throw notFound('second_factor');
    await factors.setRecoveryCodes(userId, codes.map(hashRecoveryCode));
    const made = { action: 'user.recovery_codes_created', subject: auditSubject(user), at: clock.now() } as const;
    await audit.add(userActor(user, address), made);
  });
  return codes;
}
