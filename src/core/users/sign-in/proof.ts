import { after } from '../../shared/clock.js';
import { hashRandomToken } from '../../shared/random.js';
import type { Transaction } from '../../shared/transactional.js';
import { requireAdmitted } from '../admission.js';
import { PENDING_MS } from '../factors/second-factor.js';
import type { Assertion, ProviderSettings } from '../identity-provider.js';
import { type Browser, CONFIRMED_MS, newSession } from '../session.js';
import { auditSubject, type Role, recordSignIn, type User, userActor } from '../user.js';

export interface BegunSignIn {
  readonly user: User;
  /** The browser is not signed in: its token is that of a sign-in that waits for the second factor. */
  readonly isPending: boolean;
  /** What groups at a provider make of the person with the second factor; null: nothing new. */
  readonly pendingRole: Role | null;
}

interface Beginning {
  readonly browser: Browser;
  readonly byLink: boolean;
  /** As in `PendingSignIn`. */
  readonly source: string;
  readonly at: Date;
  /** Absent: the person proved who it is here, and now. `role`: what groups give with the second factor; null: nothing new. */
  readonly byProvider?: ProofByProvider & { readonly role: Role | null };
}

/** Opens a session or, for a person with a second factor, a sign-in that waits for it. The user is locked. Errors: `ip_not_whitelisted`. */
export async function beginSignIn(
  { customer, users, factors }: Transaction<'customer' | 'users' | 'factors'>,
  user: User,
  { browser, byLink, source, at, byProvider }: Beginning,
): Promise<BegunSignIn> {
  requireAdmitted(await customer.read(), browser.namedAddress);
  if (!byProvider?.provesFactor && (await factors.countFactors(user.id)) > 0) {
    const pending = { userId: user.id, tokenHash: hashRandomToken(browser.token), startedAt: at, source, byLink };
    await factors.openPending(pending, after(at, -PENDING_MS));
    return { user, isPending: true, pendingRole: byProvider?.role ?? null };
  }
  const signed = recordSignIn(user, at);
  await users.update(signed);
  const { confirmedAt = at } = byProvider ?? {};
  await users.openSession(user.id, { ...newSession(browser, at, byLink), confirmedAt });
  return { user: signed, isPending: false, pendingRole: null };
}

interface Completion {
  readonly browser: Browser;
  readonly byLink: boolean;
  readonly at: Date;
}

/** Opens the session of a person who has proven everything. The user is locked. Errors: `ip_not_whitelisted`. */
export async function completeSignIn(
  { customer, users, audit }: Transaction<'customer' | 'users' | 'audit'>,
  user: User,
  { browser, byLink, at }: Completion,
): Promise<User> {
  requireAdmitted(await customer.read(), browser.namedAddress);
  const signed = recordSignIn(user, at);
  await users.update(signed);
  await users.openSession(user.id, newSession(browser, at, byLink));
  await audit.add(userActor(signed, browser.address), { action: 'user.signed_in', subject: auditSubject(signed), at });
  return signed;
}

interface ProofByProvider {
  /** No second factor is asked for here. */
  readonly provesFactor: boolean;
  /** When the person proved there who they are. */
  readonly confirmedAt: Date;
}

/** What a sign-in at a provider proves about the person. */
export function proofBy(
  { trustedMethods }: Pick<ProviderSettings, 'trustedMethods'>,
  { methods, authenticatedAt }: Assertion,
  at: Date,
): ProofByProvider {
  // A provider that remembers the browser proves nothing about who sits before it.
  const confirmedAt = authenticatedAt ?? after(at, -CONFIRMED_MS);
  return {
    provesFactor: methods.some((method) => trustedMethods.includes(method)),
    confirmedAt: confirmedAt < at ? confirmedAt : at,
  };
}
