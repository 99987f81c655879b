import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { type Assertion, type ProviderSettings, refusedBy } from './identity-provider.js';
import { noLongerThere, notInvited } from './link-refusals.js';
import { MAX_USERS, newInvitedUser, type User } from './user.js';

/** Somebody of whom a provider speaks, on the way in. */
export interface Arrival {
  readonly assertion: Assertion;
  /** Verified. */
  readonly email: string | null;
  /** Whom it was found to be; null: nobody yet. */
  readonly userId: Id | null;
  readonly address: string;
  readonly at: Date;
}

/** A new user for somebody whom only the provider knows. The customer is locked. Errors: `unauthorized`, with a reason. */
export async function admitNewcomer(
  { customer, users }: Transaction<'customer' | 'users'>,
  { role }: ProviderSettings,
  { email, at }: Arrival,
): Promise<User> {
  const { status, admitsNewPeople } = await customer.read();
  if (!admitsNewPeople) throw notInvited(email);
  if (status !== 'active') throw refusedBy('no_account', 'This account is suspended: nobody new is let in.');
  if ((await users.list()).length >= MAX_USERS) {
    throw refusedBy('too_many_people', `The account has ${MAX_USERS} people, which is the limit. Ask its owner.`);
  }
  const user = await users.insert(newInvitedUser(email, role, at));
  if (user === null) throw noLongerThere();
  return requireFound(await users.lock(user.id), 'user');
}
