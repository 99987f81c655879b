import type { DomainError } from '../shared/errors.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { isSameIdentity } from './identity.js';
import { type Assertion, type ProviderSettings, refusedBy } from './identity-provider.js';
import { auditSubject, MAX_USERS, newInvitedUser, type User, userActor, withoutLink } from './user.js';

interface Arrival {
  readonly assertion: Assertion;
  /** Verified. */
  readonly email: string | null;
  /** Whom it was found to be; null: nobody yet. */
  readonly userId: Id | null;
  readonly address: string;
  readonly at: Date;
}

export interface Linked {
  /** Locked. */
  readonly user: User;
  readonly lostPassword: boolean;
  /** Somebody who was here already was linked just now. */
  readonly isNewlyLinked: boolean;
}

type LinkTransaction = Transaction<'customer' | 'users' | 'factors' | 'identities' | 'audit'>;

/**
 * The user who has this identity; else the one with the verified address, or a new one, who gets it now. An address is what people enter
 * here themselves. So whatever opened the account before ends with the link: somebody could have taken the address in advance, to share an account with
 * its owner. Nothing of that happens to a user with a second factor, which an address does not prove. The customer is locked. Errors: `unauthorized`.
 */
export async function linkOrAdmit(
  transaction: LinkTransaction,
  settings: ProviderSettings,
  arrival: Arrival,
): Promise<Linked> {
  const { users, identities, factors } = transaction;
  const { assertion, email, userId, at } = arrival;
  const user = userId === null ? await admit(transaction, settings, arrival) : await users.lock(userId);
  if (user === null) throw noLongerThere();
  const own = await identities.of(user.id);
  const used = own.find((identity) => isSameIdentity(identity, assertion));
  if (used !== undefined) {
    await identities.use(user.id, used.id, at);
    return { user, lostPassword: false, isNewlyLinked: false };
  }
  if (own.length > 0) throw otherIdentity(settings);
  if (user.email !== email || email === null) throw noLongerThere();
  if ((await factors.countFactors(user.id)) > 0) throw needsFactor(settings);
  await link(transaction, user, arrival);
  if (userId !== null) {
    await users.endSessions(user.id, null);
    await factors.endPendingOf(user.id);
  }
  const [lostPassword, isNewlyLinked] = [user.passwordHash !== null, userId !== null];
  return { user: { ...withoutLink(user), passwordHash: null }, lostPassword, isNewlyLinked };
}

async function link(
  { identities, audit }: LinkTransaction,
  user: User,
  { assertion, address, at }: Arrival,
): Promise<void> {
  const { issuer, subject } = assertion;
  const row = { userId: user.id, issuer, subject, linkedAt: at, lastUsedAt: at };
  if ((await identities.insert(row)) === null) throw noLongerThere();
  await audit.add(userActor(user, address), { action: 'user.identity_linked', subject: auditSubject(user), at });
}

async function admit(
  { customer, users }: LinkTransaction,
  { role }: ProviderSettings,
  { email, at }: Arrival,
): Promise<User> {
  if ((await customer.read()).status !== 'active') {
    throw refusedBy('no_account', 'This account is suspended: nobody new is let in.');
  }
  if ((await users.list()).length >= MAX_USERS) {
    throw refusedBy('too_many_people', `The account has ${MAX_USERS} people, which is the limit. Ask its owner.`);
  }
  const user = await users.insert(newInvitedUser(email, role, at));
  if (user === null) throw noLongerThere();
  return requireFound(await users.lock(user.id), 'user');
}

function otherIdentity({ name }: ProviderSettings): DomainError {
  const message = `This address belongs to somebody who signs in in another way. An owner can unlink that from the account, if ${name} is right.`;
  return refusedBy('other_identity', message);
}

function needsFactor({ name }: ProviderSettings): DomainError {
  const message = `Your account has two-step sign-in, so ${name} alone cannot be linked to it. Sign in as before and remove it under Account, Two-step sign-in, or ask the operator for a link that does. Then come back by ${name}, and set it up again.`;
  return refusedBy('needs_second_factor', message);
}

function noLongerThere(): DomainError {
  return refusedBy('no_account', 'Your account was changed meanwhile. Sign in again.');
}
