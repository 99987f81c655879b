import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { recordingNotAdmitted } from './admitted-address.js';
import type { BegunSignIn } from './begin-sign-in.js';
import { enterByPassword, wrongPassword } from './enter-by-password.js';
import { knownSource } from './known-source.js';
import type { NoticeUses } from './notify-person.js';
import type { Browser } from './open-session.js';
import type { PasswordHasher } from './password-hasher.js';
import { recordRefusal, refusingSlowly } from './refused-sign-in.js';
import { requireSignInBudget } from './sign-in-attempts.js';
import { normalEmail } from './user.js';
import type { UserStore } from './user-store.js';
import { matching, usersOf } from './users-by-password.js';

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly browser: Browser;
  /** The cookie from an earlier sign-in of this person (`newDevice`); null when the browser sends none. */
  readonly device: string | null;
  /** Accounts at which the browser is signed in already: of several with this password, another one is meant. */
  readonly openAccounts?: readonly Id[];
}

type SignInUses = NoticeUses & {
  readonly users: UserStore;
  readonly passwords: PasswordHasher;
  readonly rateWindows: RateWindowStore;
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  readonly clock: Clock;
};

/**
 * Signs in the browser of the user with this address and password, or begins to, if there is a second factor. A password that was changed
 * since it was compared is refused. Neither the response, its wording nor its time reveals whether an address exists. A person who has
 * accounts at several customers with one password gets the one used last in which the browser is not signed in yet. Errors: `unauthorized`,
 * `rate_limited`; with the right password `ip_not_whitelisted`.
 */
export function signIn(
  uses: SignInUses,
  { email, password, browser, device, openAccounts = [] }: Credentials,
): Promise<BegunSignIn> {
  return refusingSlowly(uses, async () => {
    const normal = normalEmail(email);
    const known = await usersOf(uses, normal);
    const { address } = browser;
    const source = await knownSource(uses, normal, known, { device, address });
    await requireSignInBudget(uses, { account: normal, address, known: source });
    const right = await matching(uses, known, password);
    const user = right.find(({ customerId }) => !openAccounts.includes(customerId)) ?? right[0];
    if (user === undefined) {
      await recordRefusal(uses, known, normal, address);
      throw wrongPassword();
    }
    return recordingNotAdmitted(uses, user, browser, () => enterByPassword(uses, user, { browser, source }));
  });
}
