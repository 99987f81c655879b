import type { RateWindowStore } from '../access/rolling-window.js';
import { after, type Clock } from '../shared/clock.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { recordingNotAdmitted } from './admitted-address.js';
import { type BegunSignIn, beginSignIn } from './begin-sign-in.js';
import { findUserFor, verifiedEmail } from './find-user-for.js';
import { followGroups } from './follow-groups.js';
import type { Assertion, ProviderSettings } from './identity-provider.js';
import { knownSource } from './known-source.js';
import { type Linked, linkOrAdmit } from './link-or-admit.js';
import { type Circumstances, type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { CONFIRMED_MS } from './session.js';
import { auditSubject, userActor } from './user.js';
import type { UserStore } from './user-store.js';

export interface SignInUses extends NoticeUses {
  readonly users: UserStore;
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'identities' | 'audit' | 'jobs'>;
  readonly rateWindows: RateWindowStore;
  readonly clock: Clock;
}

export interface AdmittedBrowser {
  readonly browser: Browser;
  /** The cookie from an earlier sign-in. */
  readonly device: string | null;
}

interface Signed {
  readonly begun: BegunSignIn;
  /** The password of before no longer works. */
  readonly lostPassword: boolean;
}

/**
 * Signs in the person of whom a provider speaks, or begins to, if there is a second factor that it does not replace. The role follows the
 * groups. Errors: `unauthorized`, with a reason; `ip_not_whitelisted`.
 */
export async function signInByAssertion(
  uses: SignInUses,
  settings: ProviderSettings,
  assertion: Assertion,
  { browser, device }: AdmittedBrowser,
): Promise<Signed> {
  const email = verifiedEmail(settings, assertion);
  const { customerId, user } = await findUserFor(uses, settings, assertion, email);
  const { address } = browser;
  const source = user && (await knownSource(uses, user.email ?? '', [user], { device, address }));
  const signIn = () =>
    uses.store.transaction(customerId, async (transaction) => {
      await transaction.customer.lock();
      const at = uses.clock.now();
      const linked = await linkOrAdmit(transaction, settings, {
        assertion,
        email,
        userId: user?.id ?? null,
        address,
        at,
      });
      const member = await followGroups(transaction, settings, assertion, linked.user, { address, at });
      await transaction.users.update(member);
      const byProvider = {
        provesFactor: assertion.methods.some((method) => settings.trustedMethods.includes(method)),
        // A provider that remembers the browser proves nothing about who sits before it.
        confirmedAt: earlier(assertion.authenticatedAt ?? after(at, -CONFIRMED_MS), at),
      };
      const begun = await beginSignIn(transaction, member, {
        browser,
        byLink: false,
        source: source ?? '',
        at,
        byProvider,
      });
      if (!begun.isPending) {
        const action = member.joinedAt === null ? 'user.joined' : 'user.signed_in';
        await transaction.audit.add(userActor(member, address), { action, subject: auditSubject(member), at });
        const isUnknown = user !== null && source === null;
        if (linked.isNewlyLinked || isUnknown) await notify(uses, transaction, linked, { ...browser, at });
      }
      return { begun, lostPassword: linked.lostPassword };
    });
  return user === null ? signIn() : recordingNotAdmitted(uses, user, browser, signIn);
}

/** To the address here, whatever the provider has. A link that ended a password says so. */
async function notify(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'jobs'>,
  { user, lostPassword }: Linked,
  circumstances: Circumstances,
): Promise<void> {
  const template = lostPassword ? 'password_changed' : 'new_sign_in';
  await notifyPerson(uses, transaction, user, { template }, circumstances);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}
