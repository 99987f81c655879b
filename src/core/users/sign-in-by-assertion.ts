import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { recordingNotAdmitted } from './admitted-address.js';
import { enterByAssertion, type Signed } from './enter-by-assertion.js';
import { findUserFor, verifiedEmail } from './find-user-for.js';
import type { Assertion, ProviderSettings } from './identity-provider.js';
import { knownSource } from './known-source.js';
import type { NoticeUses } from './notify-person.js';
import type { Browser } from './open-session.js';
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
      const arrival = { assertion, email, userId: user?.id ?? null, address, at: uses.clock.now() };
      return enterByAssertion(uses, transaction, settings, { arrival, browser, source });
    });
  return user === null ? signIn() : recordingNotAdmitted(uses, user, browser, signIn);
}
