import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { knownSource, recordingNotAdmitted, recordRefusal, requireSignInBudget } from '../admission.js';
import type { PasswordHasher } from '../passwords.js';
import type { Browser } from '../session.js';
import { normalEmail } from '../user.js';
import { type UserStore, usersOf } from '../user-store.js';
import { type SignInResult, type SignInUses, signIn } from './sign-in.js';

/** A refusal takes at least so long, which is longer than comparing a password with those of several accounts and recording it. */
const REFUSED_AFTER_MS = 500;

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly browser: Browser;
  /** The cookie from an earlier sign-in of this person (`newDevice`); null when the browser sends none. */
  readonly device: string | null;
  /** Accounts at which the browser is signed in already: of several with this password, another one is meant. */
  readonly openAccounts?: readonly Id[];
}

/**
 * Signs in the browser of the user with this address and password, unless there is a second factor to wait for. A password that was changed
 * since it was compared is refused. Neither the response, its wording nor its time reveals whether an address exists. A person who has
 * accounts at several customers with one password gets the one used last in which the browser is not signed in yet. Errors: `unauthorized`,
 * `rate_limited`; with the right password `ip_not_whitelisted`.
 */
export async function signInByPassword(
  uses: SignInUses & { readonly users: UserStore; readonly passwords: PasswordHasher },
  { email, password, browser, device, openAccounts = [] }: Credentials,
): Promise<SignInResult> {
  const refusedAfter = uses.clock.pause(REFUSED_AFTER_MS);
  try {
    const normal = normalEmail(email);
    const known = await usersOf(uses, normal);
    const { address } = browser;
    const source = await knownSource(uses, normal, known, { device, address });
    await requireSignInBudget(uses, { account: normal, address, known: source });
    if (known.length === 0) await uses.passwords.pretend(password);
    const matches = known.map((each) => uses.passwords.matches(each.passwordHash ?? '', password));
    const answers = await Promise.all(matches);
    const right = known.filter((_, at) => answers[at]);
    const user = right.find(({ customerId }) => !openAccounts.includes(customerId)) ?? right[0];
    if (user === undefined) {
      await recordRefusal(uses, known, normal, address);
      throw wrongPassword();
    }
    return await recordingNotAdmitted(uses, user, browser, () =>
      uses.store.transaction(user.customerId, async (transaction) => {
        const held = await transaction.users.lock(user.id);
        // Comparing takes long enough for a new password, which ends every session, to be set in between.
        if (held?.passwordHash !== user.passwordHash) throw wrongPassword();
        return signIn(uses, transaction, held, { by: 'password', provesFactor: false, source }, browser);
      }),
    );
  } catch (error) {
    await refusedAfter;
    throw error;
  }
}

function wrongPassword(): DomainError {
  return new DomainError('unauthorized', 'The e-mail address or password is incorrect.');
}
