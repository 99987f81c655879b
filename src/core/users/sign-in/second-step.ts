import type { RateWindowStore } from '../../access/rolling-window.js';
import { hashRandomToken } from '../../shared/random.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { recordRefusal } from '../admission.js';
import { challengeFor } from '../factors/passkey.js';
import { type FactorAnswer, type PasskeyUses, proveFactor, requireProven } from '../factors/prove.js';
import { isPending, type PendingSignIn, pendingOver, readPendingCookie } from '../factors/second-factor.js';
import { followGroups } from '../groups.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { Browser } from '../session.js';
import { accountOf, type Role, type User } from '../user.js';
import { completeSignIn } from './proof.js';

interface SecondStep {
  readonly cookie: string;
  readonly code: FactorAnswer;
  readonly browser: Browser;
}

/**
 * Signs in the browser whose person gave the password before, and now a one-time or recovery code, or uses a passkey. Errors:
 * `unauthorized` when it starts again with the password; `invalid_request`, `rate_limited`, `ip_not_whitelisted`.
 */
export async function finishSignIn(
  uses: PasskeyUses &
    NoticeUses & {
      store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
      rateWindows: RateWindowStore;
    },
  { cookie, code, browser }: SecondStep,
): Promise<User> {
  const begun = readPendingCookie(uses.secrets, cookie);
  if (begun === null) throw pendingOver();
  const { address } = browser;
  const { user, proof } = await uses.store.transaction(begun.customerId, async (transaction) => {
    // Before the user, as whoever may take a role from the last owner.
    if (begun.role !== null) await transaction.customer.lock();
    const [known, at] = [await lockPending(transaction, hashRandomToken(begun.token)), uses.clock.now()];
    if (known === null || !isPending(known.pending, at)) throw pendingOver();
    const { pending, user } = known;
    const purpose = challengeFor.secondStep(begun.token);
    const attempt = { given: code, purpose, source: pending.source, address, at };
    const proof = await proveFactor(uses, transaction, user, attempt);
    if (proof === 'proven') {
      return { user: await passSecondStep(uses, transaction, known, { role: begun.role, browser, at }), proof };
    }
    if (proof === 'too_many') return { user, proof };
    await transaction.factors.countTry(pending.tokenHash);
    return { user, proof: isPending({ ...pending, tries: pending.tries + 1 }, at) ? proof : ('over' as const) };
  });
  if (proof !== 'proven') await recordRefusal(uses, [user], accountOf(user), address);
  if (proof === 'over') throw pendingOver();
  requireProven(proof, code, 'code');
  return user;
}

interface Passing {
  /** What groups at a provider give; null: the person keeps their role. */
  readonly role: Role | null;
  readonly browser: Browser;
  readonly at: Date;
}

/** Ends a sign-in that waited for the second factor, which was given, and begins a session. Errors: `ip_not_whitelisted`. */
async function passSecondStep(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>,
  { pending, user }: PendingUser,
  { role, browser, at }: Passing,
): Promise<User> {
  await transaction.factors.endPending(pending.tokenHash);
  const { address } = browser;
  const member = role === null ? user : await followGroups(transaction, user, role, { address, at });
  const signed = await completeSignIn(transaction, member, { browser, byLink: pending.byLink, at });
  // A link has just changed the password, which the person is told.
  if (pending.source === '' && !pending.byLink)
    await notifyPerson(uses, transaction, user, { template: 'new_sign_in' }, { ...browser, at });
  return signed;
}

interface PendingUser {
  readonly pending: PendingSignIn;
  readonly user: User;
}

/** A sign-in that waits for the second factor, and whose it is, locked; null if it has ended. */
async function lockPending(
  { users, factors }: Transaction<'users' | 'factors'>,
  hash: string,
): Promise<PendingUser | null> {
  const seen = await factors.findPending(hash);
  const user = seen && (await users.lock(seen.userId));
  // As it is now that nobody else can change it.
  const pending = user && (await factors.findPending(hash));
  return pending && { pending, user };
}
