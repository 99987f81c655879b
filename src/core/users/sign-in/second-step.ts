import { hashRandomToken } from '../../shared/secrets.js';
import type { Transaction } from '../../shared/transactional.js';
import { recordRefusal } from '../admission.js';
import { checkFactor, type FactorAnswer, type PasskeyUses, wrongAnswer } from '../factors/confirm-identity.js';
import { challengeFor } from '../factors/passkey.js';
import { isPending, type PendingSignIn, pendingOver, readPendingCookie } from '../factors/second-factor.js';
import type { Browser } from '../session.js';
import { accountOf, type User } from '../user.js';
import { type SignInResult, type SignInUses, signIn } from './sign-in.js';

/**
 * Signs in the browser whose person gave the password before, and now a one-time or recovery code, or uses a passkey. Errors:
 * `unauthorized` when it starts again with the password; `invalid_request`, `rate_limited`, `ip_not_whitelisted`.
 */
export async function finishSignIn(
  uses: SignInUses & PasskeyUses,
  { cookie, code, browser }: { readonly cookie: string; readonly code: FactorAnswer; readonly browser: Browser },
): Promise<SignInResult> {
  const waiting = readPendingCookie(uses.secrets, cookie);
  if (waiting === null) throw pendingOver();
  const { address } = browser;
  const { user, checked, result } = await uses.store.transaction(waiting.customerId, async (transaction) => {
    // Before the user, as every transaction that may take a role from the last owner.
    if (waiting.role !== null) await transaction.customer.lock();
    const [known, at] = [await lockPending(transaction, hashRandomToken(waiting.token)), uses.clock.now()];
    if (known === null || !isPending(known.pending, at)) throw pendingOver();
    const { pending, user } = known;
    const purpose = challengeFor.secondStep(waiting.token);
    const attempt = { given: code, purpose, source: pending.source, address, at };
    const checked = await checkFactor(uses, transaction, user, attempt);
    if (checked === 'right') {
      await transaction.factors.endPending(pending.tokenHash);
      const source = pending.source === '' ? null : pending.source;
      const by = pending.byLink ? 'link' : 'password';
      const proof = { by, provesFactor: true, source, role: waiting.role } as const;
      return { user, checked, result: await signIn(uses, transaction, user, proof, browser) };
    }
    if (checked === 'too_many') return { user, checked, result: null };
    await transaction.factors.countTry(pending.tokenHash);
    const isOver = !isPending({ ...pending, tries: pending.tries + 1 }, at);
    return { user, checked: isOver ? ('over' as const) : checked, result: null };
  });
  if (result !== null) return result;
  await recordRefusal(uses, [user], accountOf(user), address);
  throw checked === 'over' ? pendingOver() : wrongAnswer(checked, code, 'code');
}

/** A sign-in that waits for the second factor, and whose it is, locked; null if it has ended. */
async function lockPending(
  { users, factors }: Transaction<'users' | 'factors'>,
  hash: string,
): Promise<{ readonly pending: PendingSignIn; readonly user: User } | null> {
  const seen = await factors.findPending(hash);
  const user = seen && (await users.lock(seen.userId));
  // As it is now that no one else can change it.
  const pending = user && (await factors.findPending(hash));
  return pending && { pending, user };
}
