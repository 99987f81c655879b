import type { RateWindowStore } from '../../access/rolling-window.js';
import type { Clock } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Transactional } from '../../shared/transactional.js';
import { knownSource, recordingNotAdmitted, recordRefusal, refusingSlowly, requireSignInBudget } from '../admission.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { PasswordHasher } from '../passwords.js';
import type { Browser } from '../session.js';
import { auditSubject, normalEmail, type User, userActor } from '../user.js';
import { type UserStore, usersOf } from '../user-store.js';
import { type BegunSignIn, beginSignIn } from './proof.js';

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

type EnterUses = NoticeUses & {
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  readonly clock: Clock;
};

interface Entering {
  readonly browser: Browser;
  /** Where the person is known from; null: an unknown browser. */
  readonly source: string | null;
}

/** Begins a session of the user whose password was right a moment ago. Errors: `unauthorized`. */
async function enterByPassword(uses: EnterUses, user: User, { browser, source }: Entering): Promise<BegunSignIn> {
  return uses.store.transaction(user.customerId, async (transaction) => {
    const [held, at] = [await transaction.users.lock(user.id), uses.clock.now()];
    // Comparing takes long enough for a new password, which ends every session, to be set in between.
    if (held?.passwordHash !== user.passwordHash) throw wrongPassword();
    const begun = await beginSignIn(transaction, held, { browser, byLink: false, source: source ?? '', at });
    if (begun.isPending) return begun;
    const signedIn = { action: 'user.signed_in', subject: auditSubject(held), at } as const;
    await transaction.audit.add(userActor(held, browser.address), signedIn);
    if (source === null) await notifyPerson(uses, transaction, held, { template: 'new_sign_in' }, { ...browser, at });
    return begun;
  });
}

function wrongPassword(): DomainError {
  return new DomainError('unauthorized', 'The e-mail address or password is incorrect.');
}

async function matching(
  { passwords }: { passwords: PasswordHasher },
  users: readonly User[],
  password: string,
): Promise<User[]> {
  if (users.length === 0) await passwords.pretend(password);
  const answers = await Promise.all(users.map((user) => passwords.matches(user.passwordHash ?? '', password)));
  return users.filter((_, at) => answers[at]);
}
