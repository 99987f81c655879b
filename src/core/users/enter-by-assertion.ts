import type { Transaction } from '../shared/transactional.js';
import type { Arrival } from './admit-newcomer.js';
import { type BegunSignIn, beginSignIn } from './begin-sign-in.js';
import { followGroups } from './follow-groups.js';
import type { ProviderSettings } from './identity-provider.js';
import { linkOrAdmit } from './link-or-admit.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { proofBy } from './proof-by-provider.js';
import { roleByGroups } from './role-by-groups.js';
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
  const byProvider = { ...proofBy(settings, assertion, at), role: role === linked.user.role ? null : role };
  const beginning = { browser, byLink: false, source: source ?? '', at, byProvider };
  const begun = await beginSignIn(transaction, linked.user, beginning);
  if (!begun.isPending) {
    const member = await followGroups(transaction, begun.user, role, { address, at });
    const action = linked.user.joinedAt === null ? 'user.joined' : 'user.signed_in';
    await transaction.audit.add(userActor(member, address), { action, subject: auditSubject(member), at });
    const isUnknown = userId !== null && source === null;
    // To the address here, whatever the provider has.
    const template = linked.lostPassword ? 'password_changed' : 'new_sign_in';
    if (linked.isNewlyLinked || isUnknown)
      await notifyPerson(uses, transaction, linked.user, { template }, { ...browser, at });
  }
  return { begun, lostPassword: linked.lostPassword };
}
