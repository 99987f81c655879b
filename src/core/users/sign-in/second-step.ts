import { hashRandomToken } from '../../shared/secrets.js';
import { recordRefusal } from '../admission.js';
import { checkFactor, type FactorAnswer, type PasskeyUses, wrongAnswer } from '../factors/confirm-identity.js';
import { challengeFor } from '../factors/passkey.js';
import { isPending, pendingOver, readPendingCookie } from '../factors/second-factor.js';
import type { Browser } from '../session.js';
import { accountOf } from '../user.js';
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
    const hash = hashRandomToken(waiting.token);
    const seen = await transaction.factors.findPending(hash);
    const user = seen && (await transaction.users.lock(seen.userId));
    // As it is now that no one else can change it.
    const pending = user && (await transaction.factors.findPending(hash));
    const at = uses.clock.now();
    if (user === null || pending === null || !isPending(pending, at)) throw pendingOver();
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
