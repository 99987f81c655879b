import { type Customer, newVersion } from '../../customers/customer.js';
import type { SealedRows } from '../../customers/reseal.js';
import { fromWallClock } from '../../media/capture-time.js';
import type { Clock } from '../../shared/clock.js';
import { invalid } from '../../shared/errors.js';
import type { Transactional } from '../../shared/transactional.js';
import type { KnownSession } from '../session.js';
import { userActor } from '../user.js';
import type { AuthenticatorApp } from './second-factor.js';

/**
 * Requires a second factor of everyone from the beginning of a day in the account's time zone; an empty text: no longer. No owner can ask for
 * it who has none. Errors: `invalid_request`.
 */
export async function requireFactors(
  { store, clock }: { store: Transactional<'customer' | 'factors' | 'audit'>; clock: Clock },
  { customer, user }: Pick<KnownSession, 'customer' | 'user'>,
  day: string,
  address: string,
): Promise<Customer> {
  return store.transaction(customer.id, async (transaction) => {
    const before = await transaction.customer.lock();
    const from = day === '' ? null : fromWallClock(`${day}T00:00:00`, before.defaultTimeZone)?.takenAt;
    if (from === undefined)
      throw invalid({ field: 'from', code: 'invalid_format', message: 'Enter a day such as 2027-01-31.' });
    if (from !== null && (await transaction.factors.countFactors(user.id)) === 0)
      throw invalid({ field: 'from', code: 'conflict', message: 'Set up two-step sign-in for yourself first.' });
    if (from?.getTime() === before.factorsRequiredFrom?.getTime()) return before;
    const at = clock.now();
    const changed = newVersion(before, { factorsRequiredFrom: from }, at);
    await transaction.customer.update(changed);
    const changes = ['factorsRequiredFrom'];
    await transaction.audit.add(userActor(user, address), { action: 'customer.edited', subject: changed, changes, at });
    return changed;
  });
}

type Subject = Pick<KnownSession, 'customer' | 'hasFactor'>;

export function areFactorsRequired({ factorsRequiredFrom: from }: Subject['customer'], now: Date): boolean {
  return from !== null && from.getTime() <= now.getTime();
}

/** The person has to add a second factor before anything else. */
export function mustAddFactor({ customer, hasFactor }: Subject, now: Date): boolean {
  return !hasFactor && areFactorsRequired(customer, now);
}

export const factorSecrets: SealedRows<{ store: Transactional<'factors'> }, AuthenticatorApp> = {
  purpose: 'factor',
  owners: 'authenticator_apps',
  list: ({ store }, customerId) => store.query(customerId, ({ factors }) => factors.listApps()),
  values: ({ secret }) => [secret],
  replace: ({ store }, customerId, app, renewed) =>
    store.transaction(customerId, ({ factors }) => factors.replaceSecret(app, renewed(app.secret))),
};
