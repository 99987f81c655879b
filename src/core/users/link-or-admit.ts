import type { Transaction } from '../shared/transactional.js';
import { type Arrival, admitNewcomer } from './admit-newcomer.js';
import { isSameIdentity } from './identity.js';
import type { ProviderSettings } from './identity-provider.js';
import { needsFactor, noLongerThere, otherIdentity } from './link-refusals.js';
import { auditSubject, type User, userActor, withoutLink } from './user.js';

type LinkTransaction = Transaction<'customer' | 'users' | 'factors' | 'identities' | 'audit'>;

export interface Linked {
  /** Locked. */
  readonly user: User;
  readonly lostPassword: boolean;
  /** Somebody who was here already was linked just now. */
  readonly isNewlyLinked: boolean;
}

/**
 * The user who has this identity; else the one with the verified address, or a new one, who gets it now. An address is what people enter
 * here themselves. So whatever opened the account before ends with the link: somebody could have taken the address in advance, to share an
 * account with its owner. Nothing of that happens to a user with a second factor, which an address does not prove. The customer is locked.
 * Errors: `unauthorized`.
 */
export async function linkOrAdmit(
  transaction: LinkTransaction,
  settings: ProviderSettings,
  arrival: Arrival,
): Promise<Linked> {
  const { users, identities, factors } = transaction;
  const { assertion, email, userId, at } = arrival;
  const user = userId === null ? await admitNewcomer(transaction, settings, arrival) : await users.lock(userId);
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
