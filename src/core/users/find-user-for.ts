import type { Id } from '../shared/ids.js';
import { type Assertion, type ProviderSettings, refusedBy } from './identity-provider.js';
import { notInvited } from './link-refusals.js';
import { normalEmail, type User } from './user.js';
import type { KnownUser, UserStore } from './user-store.js';

/**
 * The address that the provider vouches for; null when it does not. Errors: `unauthorized` when only some domains are let in, and it is in
 * none of them.
 */
export function verifiedEmail({ domains, name }: ProviderSettings, assertion: Assertion): string | null {
  const email = assertion.isEmailVerified && assertion.email !== null ? normalEmail(assertion.email) : null;
  if (domains.length === 0) return email;
  if (email === null) throw notVerified(name);
  if (domains.includes(email.slice(email.lastIndexOf('@') + 1))) return email;
  throw refusedBy('domain_not_allowed', `Addresses such as ${email} are not let in by ${name}.`);
}

/**
 * The user of this identity; else the one with this address, which may still turn out to be linked to another identity; else nobody yet at
 * the customer of new people. An address that several have joined with says nothing about which of them it is. Errors: `unauthorized`.
 */
export async function findUserFor(
  { users }: { users: UserStore },
  settings: ProviderSettings,
  { issuer, subject }: Assertion,
  email: string | null,
): Promise<{ readonly customerId: Id; readonly user: User | null }> {
  const linked = mostRecent(settings, await users.findByIdentity(issuer, subject));
  if (linked !== null) return { customerId: linked.customerId, user: linked };
  if (email === null) throw notVerified(settings.name);
  const named = onlyOne(settings, await users.findByEmail(email));
  if (named !== null) return { customerId: named.customerId, user: named };
  if (settings.admitsNewPeople && settings.customerId !== null) return { customerId: settings.customerId, user: null };
  throw notInvited(email);
}

function mostRecent(settings: ProviderSettings, known: readonly KnownUser[]): User | null {
  const own = openUsers(settings, known);
  return own.sort((a, b) => (b.lastSignInAt?.getTime() ?? 0) - (a.lastSignInAt?.getTime() ?? 0))[0] ?? null;
}

/** Somebody at another customer who has only been invited keeps nobody out. */
function onlyOne(settings: ProviderSettings, known: readonly KnownUser[]): User | null {
  const own = openUsers(settings, known);
  const joined = own.filter(({ joinedAt }) => joinedAt !== null);
  const [first = null, ...others] = joined.length > 0 ? joined : own;
  if (others.length === 0) return first;
  const message = `Several accounts have people with your address, and ${settings.name} does not say which one you mean. Ask the operator to name the account of ${settings.name} in its settings (\`customer\`).`;
  throw refusedBy('several_accounts', message);
}

function openUsers({ customerId }: ProviderSettings, known: readonly KnownUser[]): User[] {
  const open = known.filter(({ customerStatus }) => customerStatus !== 'closing').map(({ user }) => user);
  return open.filter((user) => customerId === null || user.customerId === customerId);
}

function notVerified(name: string) {
  return refusedBy('address_not_verified', `${name} does not say that your e-mail address is verified.`);
}
