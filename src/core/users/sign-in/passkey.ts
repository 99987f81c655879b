import type { RateWindowStore } from '../../access/rolling-window.js';
import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Readable, Transaction, Transactional } from '../../shared/transactional.js';
import { knownSource, recordingNotAdmitted, recordRefusal, requireAddressBudget } from '../admission.js';
import { challengeFor, type PasskeyAnswer, readUserHandle } from '../factors/passkey.js';
import { type PasskeyUses, provePasskey } from '../factors/prove.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { Browser } from '../session.js';
import { accountOf, type User } from '../user.js';
import { completeSignIn } from './proof.js';

/**
 * Signs in the browser of a person by a passkey alone: the device has checked the person, so that it is two factors in one. The response
 * does not reveal what was wrong, nor whether there is such a person. Errors: `unauthorized`, `rate_limited`; with the right passkey
 * `ip_not_whitelisted`.
 * @param device The cookie from an earlier sign-in.
 */
export async function signInByPasskey(
  uses: EnterByPasskeyUses & { readonly rateWindows: RateWindowStore },
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
    enterByPasskey(uses, { ...claimed, given, browser, device }),
  );
  if (user !== null && !isProven) await recordRefusal(uses, [user], accountOf(user), address);
  if (user === null || !isProven) throw refused();
  return user;
}

function refused(): DomainError {
  const message = 'This passkey was not accepted. Try again, or sign in with your password.';
  return new DomainError('unauthorized', message);
}

type EnterByPasskeyUses = PasskeyUses &
  NoticeUses & { readonly store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'> };

interface Entering {
  readonly customerId: Id;
  readonly userId: Id;
  readonly given: PasskeyAnswer;
  readonly browser: Browser;
  /** The cookie from an earlier sign-in. */
  readonly device: string | null;
}

/** `user`: null if there is none who may sign in; whether it was their passkey is another matter. */
type Entered = { readonly user: User; readonly isProven: boolean } | { readonly user: null; readonly isProven: false };

/** Begins a session of this user, if it is their passkey that answered. Errors: `ip_not_whitelisted`. */
async function enterByPasskey(
  uses: EnterByPasskeyUses,
  { customerId, userId, given, browser, device }: Entering,
): Promise<Entered> {
  const { address } = browser;
  return uses.store.transaction(customerId, async (transaction) => {
    const user = await transaction.users.lock(userId);
    if (user === null || (await isClosing(transaction))) return { user: null, isProven: false };
    const attempt = { given, purpose: challengeFor.signIn(), alone: true, address };
    if (!(await provePasskey(uses, transaction, user, attempt))) return { user, isProven: false };
    const at = uses.clock.now();
    // After the proof, and in the same transaction: nobody else learns by the time it takes whether there is such a person.
    const within = { ...uses, store: readingIn(transaction) };
    const source = await knownSource(within, user.email ?? '', [user], { device, address });
    const signed = await completeSignIn(transaction, user, { browser, byLink: false, at });
    if (source === null) await notifyPerson(uses, transaction, signed, { template: 'new_sign_in' }, { ...browser, at });
    return { user: signed, isProven: true };
  });
}

/** Reads what the transaction sees. */
function readingIn(transaction: Transaction<'audit'>): Readable<'audit'> {
  return { query: (_, work) => work(transaction) };
}

async function isClosing({ customer }: Transaction<'customer'>): Promise<boolean> {
  return (await customer.read()).status === 'closing';
}
