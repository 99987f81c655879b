import type { RateWindowStore } from '../access/rolling-window.js';
import { DomainError } from '../shared/errors.js';
import { recordingNotAdmitted } from './admitted-address.js';
import { type EnterByPasskeyUses, enterByPasskey } from './enter-by-passkey.js';
import type { Browser } from './open-session.js';
import { type PasskeyAnswer, readUserHandle } from './passkey.js';
import { recordRefusal } from './refused-sign-in.js';
import { requireAddressBudget } from './sign-in-attempts.js';
import { accountOf, type User } from './user.js';

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
