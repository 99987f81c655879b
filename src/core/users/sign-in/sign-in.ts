import type { RateWindowStore } from '../../access/rolling-window.js';
import { after, type Clock } from '../../shared/clock.js';
import { hashRandomToken } from '../../shared/secrets.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { requireAdmitted } from '../admission.js';
import { PENDING_MS } from '../factors/second-factor.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import { type Browser, newSession } from '../session.js';
import { auditUser, hasOtherOwner, type Role, type User, userActor } from '../user.js';

/** The evidence that a person has given, and that was right, to be signed in. */
export interface Proof {
  /** The evidence that was given first. */
  readonly by: 'password' | 'link' | 'passkey' | 'assertion';
  /** Whether a second factor is part of it, so that none is asked for. */
  readonly provesFactor: boolean;
  /** Where the person is known from (`knownSource`); null: an unknown browser. */
  readonly source: string | null;
  /** The notice that the person gets by mail even if the browser is known. */
  readonly notice?: 'new_sign_in' | 'password_changed' | null;
  /** When it was shown, if a provider says so; absent: now. */
  readonly confirmedAt?: Date;
  /** The role that groups at a provider give; null or absent: the person keeps their own. */
  readonly role?: Role | null;
}

export interface SignInResult {
  readonly user: User;
  /** The browser is not signed in: its token is that of a sign-in that waits for the second factor. */
  readonly isPending: boolean;
  /** The role that groups at a provider give the person with the second factor; null: nothing new. */
  readonly pendingRole: Role | null;
}

export type SignInUses = NoticeUses & {
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  readonly rateWindows: RateWindowStore;
  readonly clock: Clock;
};

/**
 * Signs in the browser of a person whose proof was right or, if it proves no second factor and the person has one, opens a sign-in that waits
 * for it and that `finishSignIn` (second-step.ts) ends. Whether an account requires a factor of those who have none: `mustAddFactor`
 * (factors/policy.ts), which guards of pages ask. The user is locked; with a role in the proof, so is the customer. Errors: `ip_not_whitelisted`.
 */
export async function signIn(
  uses: Pick<SignInUses, keyof NoticeUses | 'clock'>,
  transaction: Transaction<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>,
  user: User,
  proof: Proof,
  browser: Browser,
): Promise<SignInResult> {
  const { customer, users, factors, audit } = transaction;
  requireAdmitted(await customer.read(), browser.namedAddress);
  const [at, byLink, { role = null }] = [uses.clock.now(), proof.by === 'link', proof];
  if (!proof.provesFactor && (await factors.countFactors(user.id)) > 0) {
    const waiting = { userId: user.id, tokenHash: hashRandomToken(browser.token), startedAt: at, byLink };
    await factors.openPending({ ...waiting, source: proof.source ?? '' }, after(at, -PENDING_MS));
    return { user, isPending: true, pendingRole: role };
  }
  // The last owner remains one, whatever the groups say.
  const isLastOwner = role !== null && user.role === 'owner' && !hasOtherOwner(user, await users.list());
  const given = role === null || isLastOwner ? user.role : role;
  if (given !== user.role) {
    const change = { action: 'user.edited', changes: ['role'], at } as const;
    await auditUser(audit, userActor(user, browser.address), user, change);
  }
  const signed = { ...user, role: given, joinedAt: user.joinedAt ?? at, lastSignInAt: at };
  await users.update(signed);
  const { confirmedAt = at } = proof;
  await users.openSession(user.id, { ...newSession(browser, at, byLink), confirmedAt });
  // A link that signs in by itself is recorded as used.
  if (!byLink || proof.provesFactor) {
    const action = user.joinedAt === null ? 'user.joined' : 'user.signed_in';
    await auditUser(audit, userActor(signed, browser.address), signed, { action, at });
  }
  // A first sign-in is not reported to the person. A link has just changed the password, which the person is told already.
  const isUnexpected = proof.source === null && !byLink && user.joinedAt !== null;
  const template = proof.notice ?? (isUnexpected ? 'new_sign_in' : null);
  if (template !== null) await notifyPerson(uses, transaction, signed, { template }, { ...browser, at });
  return { user: signed, isPending: false, pendingRole: null };
}
