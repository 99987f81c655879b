import { after } from '../shared/clock.js';
import type { Transaction } from '../shared/transactional.js';
import type { Arrival } from './admit-newcomer.js';
import { type BegunSignIn, beginSignIn } from './begin-sign-in.js';
import { followGroups } from './follow-groups.js';
import type { ProviderSettings } from './identity-provider.js';
import { type Linked, linkOrAdmit } from './link-or-admit.js';
import { type Circumstances, type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { roleByGroups } from './role-by-groups.js';
import { CONFIRMED_MS } from './session.js';
import { auditSubject, userActor } from './user.js';

export interface Signed {
  readonly begun: BegunSignIn;
  /** The password of before no longer works. */
  readonly lostPassword: boolean;
}

interface Entrance {
  readonly arrival: Arrival;
  readonly browser: Browser;
  /** Where the person is known from; null: an unknown browser, or nobody yet. */
  readonly source: string | null;
}

type EntranceTransaction = Transaction<'customer' | 'users' | 'factors' | 'identities' | 'audit' | 'jobs'>;

/**
 * Links or admits the person of whom a provider speaks, and begins a session. The role follows the groups once the sign-in is complete. The
 * customer is locked.
 */
export async function enterByAssertion(
  uses: NoticeUses,
  transaction: EntranceTransaction,
  settings: ProviderSettings,
  { arrival, browser, source }: Entrance,
): Promise<Signed> {
  const { assertion, userId, address, at } = arrival;
  const linked = await linkOrAdmit(transaction, settings, arrival);
  const role = roleByGroups(settings, assertion.groups, linked.user.role);
  const byProvider = {
    role: role === linked.user.role ? null : role,
    provesFactor: assertion.methods.some((method) => settings.trustedMethods.includes(method)),
    // A provider that remembers the browser proves nothing about who sits before it.
    confirmedAt: earlier(assertion.authenticatedAt ?? after(at, -CONFIRMED_MS), at),
  };
  const begun = await beginSignIn(transaction, linked.user, {
    browser,
    byLink: false,
    source: source ?? '',
    at,
    byProvider,
  });
  if (!begun.isPending) {
    const member = await followGroups(transaction, begun.user, role, { address, at });
    const action = linked.user.joinedAt === null ? 'user.joined' : 'user.signed_in';
    await transaction.audit.add(userActor(member, address), { action, subject: auditSubject(member), at });
    const isUnknown = userId !== null && source === null;
    if (linked.isNewlyLinked || isUnknown) await notify(uses, transaction, linked, { ...browser, at });
  }
  return { begun, lostPassword: linked.lostPassword };
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
