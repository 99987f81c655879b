import type { RateWindowStore } from '../access/rolling-window.js';
import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import { completeSignIn } from './complete-sign-in.js';
import { followGroups } from './follow-groups.js';
import { lockPending } from './lock-pending.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { challengeFor } from './passkey-challenge.js';
import { readPendingCookie } from './pending-cookie.js';
import { type FactorAnswer, proveFactor, requireProven } from './prove-factor.js';
import type { PasskeyUses } from './prove-passkey.js';
import { recordRefusal } from './refused-sign-in.js';
import { isPending } from './second-factor.js';
import type { User } from './user.js';

interface SecondStep {
  readonly cookie: string;
  readonly code: FactorAnswer;
  readonly browser: Browser;
}

/**
 * Signs in the browser whose person gave the password before, and now a one-time or recovery code, or uses a passkey. Errors: `unauthorized` when it starts
 * again with the password; `invalid_request`, `rate_limited`, `ip_not_whitelisted`.
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
  if (begun === null) throw startAgain();
  const { address } = browser;
  const { user, proof } = await uses.store.transaction(begun.customerId, async (transaction) => {
    // Before the user, as whoever may take a role from the last owner.
    if (begun.role !== null) await transaction.customer.lock();
    const [known, at] = [await lockPending(transaction, hashRandomToken(begun.token)), uses.clock.now()];
    if (known === null || !isPending(known.pending, at)) throw startAgain();
    const { pending, user } = known;
    const { source, byLink } = pending;
    const attempt = { given: code, purpose: challengeFor.secondStep(begun.token), source, address, at };
    const proof = await proveFactor(uses, transaction, user, attempt);
    if (proof === 'proven') {
      await transaction.factors.endPending(pending.tokenHash);
      const member = begun.role === null ? user : await followGroups(transaction, user, begun.role, { address, at });
      const signed = await completeSignIn(transaction, member, { browser, byLink, at });
      // A link has just changed the password, which the person is told.
      if (source === '' && !byLink)
        await notifyPerson(uses, transaction, user, { template: 'new_sign_in' }, { ...browser, at });
      return { user: signed, proof };
    }
    if (proof === 'too_many') return { user, proof };
    await transaction.factors.countTry(pending.tokenHash);
    return { user, proof: isPending({ ...pending, tries: pending.tries + 1 }, at) ? proof : ('over' as const) };
  });
  if (proof !== 'proven') await recordRefusal(uses, [user], user.email ?? `user ${user.id}`, address);
  if (proof === 'over') throw startAgain();
  requireProven(proof, code, 'code');
  return user;
}

function startAgain(): DomainError {
  const message = 'This took too long, or too many codes were wrong. Sign in with your password again.';
  return new DomainError('unauthorized', message);
}
