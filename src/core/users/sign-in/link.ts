import type { RateWindowStore } from '../../access/rolling-window.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { recordingNotAdmitted } from '../admission.js';
import { isOpenFor, type LinkUses, linkForbidden, peekLink, readLink } from '../links.js';
import { type Circumstances, type NoticeUses, notifyPerson } from '../notify-person.js';
import type { PasswordHasher, PasswordStrength } from '../passwords.js';
import type { Browser } from '../session.js';
import { auditSubject, emailTaken, readCredentials, redeemLink, type User, userActor } from '../user.js';
import { type BegunSignIn, beginSignIn } from './proof.js';

interface Arrival {
  readonly token: string;
  /** Ignored for a person whose address is known. */
  readonly email: string;
  readonly password: string;
  /** The browser is signed in with it. */
  readonly browser: Browser;
}

/**
 * Uses up a one-time link: sets the person's new credentials, ends every existing session, and signs the browser in, or begins to: a link
 * does not replace a second factor, unless the operator said so. Of two concurrent calls, one succeeds. Errors: `url_forbidden` when the
 * link is not valid (any more); `invalid_request` and `ip_not_whitelisted`, and the link remains valid.
 */
export async function enterByLink(
  uses: LinkUses &
    NoticeUses & {
      store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
      rateWindows: RateWindowStore;
      passwords: PasswordHasher;
      passwordStrength: PasswordStrength;
    },
  { token, browser, ...given }: Arrival,
): Promise<BegunSignIn> {
  const known = await peekLink(uses, token);
  if (known === null) throw linkForbidden();
  const { email, password } = await readCredentials(uses, known.user, given);
  const [link, passwordHash] = [readLink(uses, token), await uses.passwords.hash(password)];
  return recordingNotAdmitted(uses, known.user, browser, () =>
    uses.store.transaction(known.user.customerId, async (transaction) => {
      await transaction.customer.lock();
      const [held, now] = [await transaction.users.lock(known.user.id), uses.clock.now()];
      if (held === null || !isOpenFor(link, held, now)) throw linkForbidden();
      const user = redeemLink(held, { email: held.email ?? email, passwordHash });
      if (!(await transaction.users.update(user))) throw emailTaken();
      await transaction.users.endSessions(user.id, null);
      await transaction.factors.endPendingOf(user.id);
      const here = { ...browser, at: now };
      // Not by a link that came by mail, while one that the operator made is open, too.
      if (link.kind === 'made' && held.linkDropsFactors) await dropFactors(uses, transaction, user, here);
      const action = held.joinedAt === null ? 'user.joined' : 'user.link_used';
      await transaction.audit.add(userActor(user, browser.address), { action, subject: auditSubject(user), at: now });
      if (held.passwordHash !== null)
        await notifyPerson(uses, transaction, user, { template: 'password_changed' }, here);
      return beginSignIn(transaction, user, { browser, byLink: true, source: '', at: now });
    }),
  );
}

/** Removes all second factors of a person who uses a link that the operator made for that, and tells them. The user is locked. */
async function dropFactors(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>,
  user: User,
  here: Circumstances & Pick<Browser, 'address'>,
): Promise<void> {
  const count = await transaction.factors.deleteAll(user.id);
  if (count === 0) return;
  const change = { action: 'user.factor_removed', subject: auditSubject(user), count, at: here.at } as const;
  await transaction.audit.add(userActor(user, here.address), change);
  await notifyPerson(uses, transaction, user, { template: 'factor_removed' }, here);
}
