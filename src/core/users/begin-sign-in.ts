import { after } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Transaction } from '../shared/transactional.js';
import { requireAdmitted } from './admitted-address.js';
import { type Browser, newSession } from './open-session.js';
import type { ProofByProvider } from './proof-by-provider.js';
import type { Role } from './role.js';
import { PENDING_MS } from './second-factor.js';
import { recordSignIn, type User } from './user.js';

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
