import type { RateWindowStore } from '../access/rolling-window.js';
import { DomainError } from '../shared/errors.js';
import type { Readable, Transaction, Transactional } from '../shared/transactional.js';
import { recordingNotAdmitted } from './admitted-address.js';
import { completeSignIn } from './complete-sign-in.js';
import { knownSource } from './known-source.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { type PasskeyAnswer, readUserHandle } from './passkey.js';
import { challengeFor } from './passkey-challenge.js';
import { type PasskeyUses, provePasskey } from './prove-passkey.js';
import { recordRefusal } from './refused-sign-in.js';
import { requireAddressBudget } from './sign-in-attempts.js';
import type { User } from './user.js';

type SignInUses = PasskeyUses &
  NoticeUses & {
    store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
    rateWindows: RateWindowStore;
  };

/**
 * Signs in the browser of a person by a passkey alone: the device has checked the person, so that it is two factors in one. The response
 * does not reveal what was wrong, nor whether there is such a person. Errors: `unauthorized`, `rate_limited`; with the right passkey
 * `ip_not_whitelisted`.
 * @param device The cookie from an earlier sign-in.
 */
export async function signInByPasskey(
  uses: SignInUses,
  given: PasskeyAnswer,
  browser: Browser,
  device: string | null,
): Promise<User> {
  const { address } = browser;
  await requireAddressBudget(uses, address);
  const claimed = readUserHandle(uses.passkeys.claimOf(given.answer)?.userHandle ?? '');
  if (claimed === null) throw refused();
  const whose = { customerId: claimed.customerId, id: claimed.userId };
  const { user, isProven } = await recordingNotAdmitted(uses, whose, browser, () =>
    uses.store.transaction(claimed.customerId, async (transaction) => {
      const user = await transaction.users.lock(claimed.userId);
      if (user === null || (await isClosing(transaction))) return { user: null, isProven: false };
      const attempt = { given, purpose: challengeFor.signIn(), alone: true, address };
      if (!(await provePasskey(uses, transaction, user, attempt))) return { user, isProven: false };
      const at = uses.clock.now();
      // After the proof, and in the same transaction: nobody else learns by the time it takes whether there is such a person.
      const within = { ...uses, store: readingIn(transaction) };
      const source = await knownSource(within, user.email ?? '', [user], { device, address });
      const signed = await completeSignIn(transaction, user, { browser, byLink: false, at });
      if (source === null)
        await notifyPerson(uses, transaction, signed, { template: 'new_sign_in' }, { ...browser, at });
      return { user: signed, isProven: true };
    }),
  );
  if (user !== null && !isProven) await recordRefusal(uses, [user], user.email ?? `user ${user.id}`, address);
  if (user === null || !isProven) throw refused();
  return user;
}

/** Reads what the transaction sees. */
function readingIn(transaction: Transaction<'audit'>): Readable<'audit'> {
  return { query: (_, work) => work(transaction) };
}

async function isClosing({ customer }: Transaction<'customer'>): Promise<boolean> {
  return (await customer.read()).status === 'closing';
}

function refused(): DomainError {
  const message = 'This passkey was not accepted. Try again, or sign in with your password.';
  return new DomainError('unauthorized', message);
}
