import { after } from '../../shared/clock.js';
import { type DomainError, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { knownSource, recordingNotAdmitted } from '../admission.js';
import { type Assertion, type ProviderSettings, refusedBy } from '../identity-provider.js';
import { type Browser, CONFIRMED_MS } from '../session.js';
import { type Proof, type SignInResult, type SignInUses, signIn } from '../sign-in/sign-in.js';
import {
  auditUser,
  MAX_USERS,
  mayActAs,
  newInvitedUser,
  normalEmail,
  type Role,
  type User,
  userActor,
  withoutLink,
} from '../user.js';
import { type KnownUser, lastSignedInFirst, type UserStore } from '../user-store.js';
import { isSameIdentity } from './identity.js';

export type AssertionUses = Omit<SignInUses, 'store'> & {
  readonly users: UserStore;
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'identities' | 'audit' | 'jobs'>;
};

export interface AdmittedBrowser {
  readonly browser: Browser;
  /** The cookie from an earlier sign-in. */
  readonly device: string | null;
}

/**
 * Signs in the person of whom a provider speaks, unless there is a second factor to wait for that it does not replace. The role follows the
 * groups once the sign-in is complete. `lostPassword`: the password of before no longer works. Errors: `unauthorized`, with a reason;
 * `ip_not_whitelisted`.
 */
export async function signInByAssertion(
  uses: AssertionUses,
  settings: ProviderSettings,
  assertion: Assertion,
  { browser, device }: AdmittedBrowser,
): Promise<{ readonly result: SignInResult; readonly lostPassword: boolean }> {
  const { domains, name } = settings;
  const email = assertion.isEmailVerified && assertion.email !== null ? normalEmail(assertion.email) : null;
  if (domains.length > 0) {
    if (email === null) throw notVerified(name);
    if (!domains.includes(email.slice(email.lastIndexOf('@') + 1)))
      throw refusedBy('domain_not_allowed', `Addresses such as ${email} are not let in by ${name}.`);
  }
  const { customerId, user } = await findUserFor(uses, settings, assertion, email);
  const { address } = browser;
  const source = user && (await knownSource(uses, user.email ?? '', [user], { device, address }));
  const identifyAndSignIn = () =>
    uses.store.transaction(customerId, async (transaction) => {
      await transaction.customer.lock();
      const arrival = { assertion, email, userId: user?.id ?? null, address, at: uses.clock.now() };
      const { user: held, lostPassword, isNewIdentity } = await identify(transaction, settings, arrival);
      // A provider that remembers the browser proves nothing about who sits before it.
      const confirmedAt = assertion.authenticatedAt ?? after(arrival.at, -CONFIRMED_MS);
      const role = roleByGroups(settings, assertion.groups, held.role);
      // To the address here, whatever the provider has.
      const notice = lostPassword ? 'password_changed' : 'new_sign_in';
      const proof: Proof = {
        by: 'assertion',
        provesFactor: assertion.methods.some((method) => settings.trustedMethods.includes(method)),
        source,
        notice: isNewIdentity ? notice : null,
        confirmedAt: confirmedAt < arrival.at ? confirmedAt : arrival.at,
        role: role === held.role ? null : role,
      };
      return { result: await signIn(uses, transaction, held, proof, browser), lostPassword };
    });
  return user === null ? identifyAndSignIn() : recordingNotAdmitted(uses, user, browser, identifyAndSignIn);
}

/**
 * The user of this identity; else the one with this address, which may still turn out to be linked to another identity; else no one yet at
 * the customer of new people. An address that several have joined with says nothing about which of them it is. Errors: `unauthorized`.
 */
async function findUserFor(
  { users }: { users: UserStore },
  settings: ProviderSettings,
  { issuer, subject }: Assertion,
  email: string | null,
): Promise<{ readonly customerId: Id; readonly user: User | null }> {
  const [linked] = lastSignedInFirst(openUsers(settings, await users.findByIdentity(issuer, subject)));
  if (linked !== undefined) return { customerId: linked.customerId, user: linked };
  if (email === null) throw notVerified(settings.name);
  const own = openUsers(settings, await users.findByEmail(email));
  // A person at another customer who has only been invited keeps no one out.
  const joined = own.filter(({ joinedAt }) => joinedAt !== null);
  const [named, ...others] = joined.length > 0 ? joined : own;
  if (others.length > 0) {
    const message = `Several accounts have people with your address, and ${settings.name} does not say which one you mean. Ask the operator to name the account of ${settings.name} in its settings (\`customer\`).`;
    throw refusedBy('several_accounts', message);
  }
  if (named !== undefined) return { customerId: named.customerId, user: named };
  if (settings.admitsNewPeople && settings.customerId !== null) return { customerId: settings.customerId, user: null };
  throw notInvited(email);
}

function openUsers({ customerId }: ProviderSettings, known: readonly KnownUser[]): User[] {
  const open = known.filter(({ customerStatus }) => customerStatus !== 'closing').map(({ user }) => user);
  return open.filter((user) => customerId === null || user.customerId === customerId);
}

function notVerified(name: string) {
  return refusedBy('address_not_verified', `${name} does not say that your e-mail address is verified.`);
}

/**
 * The role that the groups of a person give: the highest of them, or that of new people. Owners neither become nor cease to be by a group,
 * unless the operator has given a group that role.
 */
function roleByGroups(
  { groupRoles, role }: Pick<ProviderSettings, 'groupRoles' | 'role'>,
  groups: readonly string[],
  current: Role,
): Role {
  if (groupRoles === null) return current;
  if (current === 'owner' && !Object.values(groupRoles).includes('owner')) return current;
  const given = Object.entries(groupRoles).flatMap(([group, role]) => (groups.includes(group) ? role : []));
  return given.reduce((highest, each) => (mayActAs(each, highest) ? each : highest), given[0] ?? role);
}

/**
 * The user who has this identity; else the one with the verified address, or a new one, who gets it now. An address is what people enter
 * here themselves. So whatever opened the account before ends then: another person could have taken the address in advance, to share an
 * account with its owner. Nothing of that happens to a user with a second factor, which an address does not prove. The customer is locked.
 * `isNewIdentity`: a person who was here already has got it just now. Errors: `unauthorized`.
 */
async function identify(
  transaction: Transaction<'customer' | 'users' | 'factors' | 'identities' | 'audit'>,
  settings: ProviderSettings,
  arrival: Arrival,
): Promise<{ readonly user: User; readonly lostPassword: boolean; readonly isNewIdentity: boolean }> {
  const { users, identities, factors, audit } = transaction;
  const { assertion, email, userId, address, at } = arrival;
  const user = userId === null ? await admitNewcomer(transaction, settings, arrival) : await users.lock(userId);
  if (user === null) throw noLongerThere();
  const own = await identities.of(user.id);
  const used = own.find((identity) => isSameIdentity(identity, assertion));
  if (used !== undefined) {
    await identities.use(user.id, used.id, at);
    return { user, lostPassword: false, isNewIdentity: false };
  }
  if (own.length > 0) {
    const message = `This address belongs to someone who signs in in another way. An owner can unlink that from the account, if ${settings.name} is right.`;
    throw refusedBy('other_identity', message);
  }
  if (user.email !== email || email === null) throw noLongerThere();
  if ((await factors.countFactors(user.id)) > 0) {
    const message = `Your account has two-step sign-in, so ${settings.name} alone cannot be linked to it. Sign in as before and remove it under Account, Two-step sign-in, or ask the operator for a link that does. Then come back by ${settings.name}, and set it up again.`;
    throw refusedBy('needs_second_factor', message);
  }
  const { issuer, subject } = assertion;
  const row = { userId: user.id, issuer, subject, linkedAt: at, lastUsedAt: at };
  if ((await identities.insert(row)) === null) throw noLongerThere();
  await auditUser(audit, userActor(user, address), user, { action: 'user.identity_linked', at });
  if (userId !== null) {
    await users.endSessions(user.id, null);
    await factors.endPendingOf(user.id);
  }
  const [lostPassword, isNewIdentity] = [user.passwordHash !== null, userId !== null];
  return { user: { ...withoutLink(user), passwordHash: null }, lostPassword, isNewIdentity };
}

/** A person whom a provider vouches for, while signing in. */
interface Arrival {
  readonly assertion: Assertion;
  /** Verified. */
  readonly email: string | null;
  /** The user that was found; null: none yet. */
  readonly userId: Id | null;
  readonly address: string;
  readonly at: Date;
}

/** A new user for a person whom only the provider knows. The customer is locked. Errors: `unauthorized`, with a reason. */
async function admitNewcomer(
  { customer, users }: Transaction<'customer' | 'users'>,
  { role }: ProviderSettings,
  { email, at }: Arrival,
): Promise<User> {
  const { status, admitsNewPeople } = await customer.read();
  if (!admitsNewPeople) throw notInvited(email);
  if (status !== 'active') throw refusedBy('no_account', 'This account is suspended: no one new is let in.');
  if ((await users.list()).length >= MAX_USERS) {
    throw refusedBy('too_many_people', `The account has ${MAX_USERS} people, which is the limit. Ask its owner.`);
  }
  const user = await users.insert(newInvitedUser(email, role, at));
  if (user === null) throw noLongerThere();
  return requireFound(await users.lock(user.id), 'user');
}

function notInvited(email: string | null): DomainError {
  const message = `No one here has the address ${email}. Ask an owner of your account to invite it.`;
  return refusedBy('no_account', message);
}

function noLongerThere(): DomainError {
  return refusedBy('no_account', 'Your account was changed meanwhile. Sign in again.');
}
