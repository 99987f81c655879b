import { DomainError } from '../../shared/errors.js';
import type { Readable } from '../../shared/transactional.js';
import { knownSource, recordingNotAdmitted, recordRefusal, requireAddressBudget } from '../admission.js';
import { checkPasskey, type PasskeyUses } from '../factors/confirm-identity.js';
import { challengeFor, type PasskeyAnswer, readUserHandle } from '../factors/passkey.js';
import type { Browser } from '../session.js';
import { accountOf } from '../user.js';
import { type SignInResult, type SignInUses, signIn } from './sign-in.js';

/**
 * Signs in the browser of a person by a passkey alone: the device has checked the person, so that it is two factors in one. The response
 * does not reveal what was wrong, nor whether there is such a person. Errors: `unauthorized`, `rate_limited`; with the right passkey
 * `ip_not_whitelisted`.
 * @param device The cookie from an earlier sign-in.
 */
export async function signInByPasskey(
  uses: SignInUses & PasskeyUses,
  given: PasskeyAnswer,
  browser: Browser,
  device: string | null,
): Promise<SignInResult> {
  const { address } = browser;
  await requireAddressBudget(uses, address);
  const claimed = readUserHandle(uses.passkeys.claimOf(given.answer)?.userHandle ?? '');
  if (claimed === null) throw refused();
  const { customerId, userId: id } = claimed;
  const { user, result } = await recordingNotAdmitted(uses, { customerId, id }, browser, () =>
    uses.store.transaction(customerId, async (transaction) => {
      const user = await transaction.users.lock(id);
      if (user === null || (await transaction.customer.read()).status === 'closing')
        return { user: null, result: null };
      const attempt = { given, purpose: challengeFor.signIn(), alone: true, address };
      if (!(await checkPasskey(uses, transaction, user, attempt))) return { user, result: null };
      // After the check, and in the same transaction: no one else learns by the time it takes whether there is such a person.
      const store: Readable<'audit'> = { query: (_, work) => work(transaction) };
      const source = await knownSource({ ...uses, store }, user.email ?? '', [user], { device, address });
      const proof = { by: 'passkey', provesFactor: true, source } as const;
      return { user, result: await signIn(uses, transaction, user, proof, browser) };
    }),
  );
  if (result !== null) return result;
  if (user !== null) await recordRefusal(uses, [user], accountOf(user), address);
  throw refused();
}

function refused(): DomainError {
  const message = 'This passkey was not accepted. Try again, or sign in with your password.';
  return new DomainError('unauthorized', message);
}
