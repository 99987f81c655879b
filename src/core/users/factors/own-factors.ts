import { invalid, notFound, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Readable } from '../../shared/transactional.js';
import { notifyPerson } from '../notify-person.js';
import type { KnownSession } from '../session.js';
import { auditUser, type User, userActor } from '../user.js';
import type { FactorUses } from './add.js';
import { type ConfirmUses, confirmIdentity, type FactorAnswer } from './confirm-identity.js';
import { hashRecoveryCode, newRecoveryCodes } from './one-time-code.js';
import { areFactorsRequired } from './policy.js';

/** The second factors of a person, oldest first, and how many recovery codes are left. */
export function readFactors(
  { store }: { store: Readable<'factors'> },
  { customerId, id }: Pick<User, 'customerId' | 'id'>,
) {
  return store.query(customerId, async ({ factors }) => ({
    apps: await factors.appsOf(id),
    passkeys: await factors.passkeysOf(id),
    codesLeft: await factors.countRecoveryCodes(id),
  }));
}

/** One of a person's factors: ids are of one kind. */
export interface FactorReference {
  readonly kind: 'app' | 'passkey';
  readonly id: Id;
}

/**
 * Removes a second factor; with the last one the recovery codes. It needs a code or a passkey, however recently one was given. Every other
 * browser of the person is signed out. The last one stays where everyone needs one. Errors: `not_found`, `invalid_request`, `rate_limited`.
 */
export async function removeFactor(
  uses: Omit<ConfirmUses, 'store'> & FactorUses,
  person: KnownSession,
  { kind, id, code }: FactorReference & { readonly code: FactorAnswer },
  address: string,
): Promise<void> {
  await confirmIdentity(uses, person, code, 'code');
  const userId = person.user.id;
  await uses.store.transaction(person.customer.id, async (transaction) => {
    const { customer, users, factors, audit } = transaction;
    const user = requireFound(await users.lock(userId), 'user');
    const isGone = kind === 'app' ? await factors.deleteApp(userId, id) : await factors.deletePasskey(userId, id);
    if (!isGone) throw notFound('second_factor');
    if ((await factors.countFactors(userId)) === 0) {
      if (areFactorsRequired(await customer.read(), uses.clock.now())) {
        const message = 'Everyone in this account needs a second factor. Add another one before you remove this.';
        throw invalid({ field: 'code', code: 'conflict', message });
      }
      await factors.deleteAll(userId);
    }
    await users.endSessions(userId, person.session.id);
    await factors.endPendingOf(userId);
    const at = uses.clock.now();
    await auditUser(audit, userActor(user, address), user, { action: 'user.factor_removed', at });
    const here = { at, address, userAgent: person.session.browser };
    await notifyPerson(uses, transaction, user, { template: 'factor_removed' }, here);
  });
}

/**
 * New recovery codes for a person with a second factor, available only here. Those before stop working, and the person is told by mail.
 * Errors: `not_found`.
 */
export async function renewRecoveryCodes(
  uses: FactorUses,
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
    await auditUser(audit, userActor(user, address), user, { action: 'user.recovery_codes_created', at });
    const here = { at, address, userAgent: person.session.browser };
    await notifyPerson(uses, transaction, user, { template: 'recovery_codes_created' }, here);
  });
  return codes;
}
