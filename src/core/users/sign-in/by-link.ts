import type { CustomerDirectory } from '../../customers/customer-directory.js';
import type { Clock } from '../../shared/clock.js';
import { hashRandomToken, type Secrets } from '../../shared/secrets.js';
import type { Readable } from '../../shared/transactional.js';
import { recordingNotAdmitted } from '../admission.js';
import { findByToken, isMailedTokenOpen, linkForbidden, type MailedToken, readMailedToken } from '../mailed-token.js';
import { notifyPerson } from '../notify-person.js';
import { type PasswordHasher, type PasswordStrength, readCredentials } from '../passwords.js';
import type { Browser } from '../session.js';
import { auditUser, emailTaken, isLinkOpen, type User, userActor, withoutLink } from '../user.js';
import type { KnownUser, UserStore } from '../user-store.js';
import { type SignInResult, type SignInUses, signIn } from './sign-in.js';

/**
 * Uses up a one-time link: sets the person's new credentials, ends every existing session, and signs the browser in, unless there is a second
 * factor to wait for: a link does not replace it, unless the operator said so. Of two concurrent calls, one succeeds. Errors: `url_forbidden`
 * when the link is not, or no longer, valid; `invalid_request` and `ip_not_whitelisted`, and the link remains valid. `email` is ignored for a
 * person whose address is known.
 */
export async function signInByLink(
  uses: SignInUses & LinkUses & { readonly passwords: PasswordHasher; readonly passwordStrength: PasswordStrength },
  arrival: { readonly token: string; readonly email: string; readonly password: string; readonly browser: Browser },
): Promise<SignInResult> {
  const { token, browser, ...given } = arrival;
  const known = await peekLink(uses, token);
  if (known === null) throw linkForbidden();
  const { email, password } = await readCredentials(uses, known.user, given);
  const [link, passwordHash] = [readLink(uses, token), await uses.passwords.hash(password)];
  return recordingNotAdmitted(uses, known.user, browser, () =>
    uses.store.transaction(known.user.customerId, async (transaction) => {
      await transaction.customer.lock();
      const [held, now] = [await transaction.users.lock(known.user.id), uses.clock.now()];
      if (held === null || !isOpenFor(link, held, now)) throw linkForbidden();
      const user = { ...withoutLink(held), email: held.email ?? email, passwordHash };
      if (!(await transaction.users.update(user))) throw emailTaken();
      await transaction.users.endSessions(user.id, null);
      await transaction.factors.endPendingOf(user.id);
      const here = { ...browser, at: now };
      // Not by a link that came by mail, while one that the operator made is open, too.
      const count = link.kind === 'made' && held.linkDropsFactors ? await transaction.factors.deleteAll(user.id) : 0;
      const actor = userActor(user, browser.address);
      if (count > 0) {
        await auditUser(transaction.audit, actor, user, { action: 'user.factor_removed', count, at: now });
        await notifyPerson(uses, transaction, user, { template: 'factor_removed' }, here);
      }
      const action = held.joinedAt === null ? 'user.joined' : 'user.link_used';
      await auditUser(transaction.audit, actor, user, { action, at: now });
      if (held.passwordHash !== null)
        await notifyPerson(uses, transaction, user, { template: 'password_changed' }, here);
      return signIn(uses, transaction, user, { by: 'link', provesFactor: false, source: null }, browser);
    }),
  );
}

interface LinkUses {
  readonly users: UserStore;
  readonly customers: Pick<CustomerDirectory, 'find'>;
  readonly store: Readable<'users'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * The person whom a one-time link would sign in; this does not use it up. Null when it is not, or no longer, valid. Programs that open links on
 * their own (previews of messengers, mail scanners) must not use them up.
 */
export async function peekLink(uses: LinkUses, token: string): Promise<KnownUser | null> {
  const link = readLink(uses, token);
  const known = await (link.kind === 'made' ? uses.users.findByLink(link.hash) : findByToken(uses, link.token));
  const isOpen = known !== null && known.customerStatus !== 'closing' && isOpenFor(link, known.user, uses.clock.now());
  return isOpen ? known : null;
}

/** A link with which a person chooses a password: one that was made for them, or one that they asked for by mail. */
type OneTimeLink =
  | { readonly kind: 'made'; readonly hash: string }
  | { readonly kind: 'recovery'; readonly token: MailedToken };

function readLink({ secrets }: { secrets: Secrets }, text: string): OneTimeLink {
  const token = readMailedToken(secrets, 'recovery', text);
  return token === null ? { kind: 'made', hash: hashRandomToken(text) } : { kind: 'recovery', token };
}

/** Whether it is good for this person now. */
function isOpenFor(link: OneTimeLink, user: User, now: Date): boolean {
  return link.kind === 'made' ? isLinkOpen(user, link.hash, now) : isMailedTokenOpen(link.token, user, now);
}
