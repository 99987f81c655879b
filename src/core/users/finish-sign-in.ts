import type { RateWindowStore } from '../access/rolling-window.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import { lockPending } from './lock-pending.js';
import type { NoticeUses } from './notify-person.js';
import type { Browser } from './open-session.js';
import { passSecondStep } from './pass-second-step.js';
import { challengeFor } from './passkey-challenge.js';
import { readPendingCookie } from './pending-cookie.js';
import { type FactorAnswer, proveFactor, requireProven } from './prove-factor.js';
import type { PasskeyUses } from './prove-passkey.js';
import { recordRefusal } from './refused-sign-in.js';
import { isPending, pendingOver } from './second-factor.js';
import { accountOf, type User } from './user.js';

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
