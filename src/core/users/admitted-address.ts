import { IpRanges } from '../access/ip-list.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Customer } from '../customers/customer.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import type { Browser } from './open-session.js';
import { recordRefusal } from './refused-sign-in.js';
import { accountOf, type User } from './user.js';

/**
 * Whether people of this customer may use the settings area from an address; null is that of somebody whose address no proxy reported.
 * Errors: `ip_not_whitelisted`.
 */
export function requireAdmitted({ settingsIpList }: Pick<Customer, 'settingsIpList'>, address: string | null): void {
  if (settingsIpList.length === 0) return;
  if (address === null || !new IpRanges(settingsIpList).contains(address)) throw notAdmitted(address);
}

export function notAdmitted(address: string | null): DomainError {
  const message =
    address === null
      ? 'The settings area of this account can only be used from certain addresses, and the proxy before this service did not report yours.'
      : `The settings area of this account cannot be used from ${address}. An owner of the account, or the operator of this service, can allow this address.`;
  return new DomainError('ip_not_whitelisted', message);
}

/** Runs the transaction in which a person signs in. If the address is not admitted, that is recorded as other refusals are. */
export async function recordingNotAdmitted<T>(
  uses: { rateWindows: RateWindowStore; store: Transactional<'users' | 'audit'>; clock: Clock },
  { customerId, id }: Pick<User, 'customerId' | 'id'>,
  { address }: Pick<Browser, 'address'>,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'ip_not_whitelisted')) throw error;
    const user = await uses.store.query(customerId, ({ users }) => users.get(id));
    if (user !== null) await recordRefusal(uses, [user], accountOf(user), address);
    throw error;
  }
}
