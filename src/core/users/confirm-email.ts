import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { requireAdmitted } from './admitted-address.js';
import { isMailedTokenOpen, readMailedToken } from './mailed-token.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import { linkForbidden } from './one-time-link.js';
import type { Browser } from './open-session.js';
import { peekEmailChange, wasChangedSince } from './peek-email-change.js';
import type { LinkUses } from './peek-link.js';
import { auditSubject, emailTaken, type User, userActor } from './user.js';

/**
 * Sets the address that a link was mailed to, and tells the one before. Whoever opened it need not be signed in. Errors: `url_forbidden` when
 * the link is not valid (any more); `invalid_request` when another user of this customer has the address by now; `ip_not_whitelisted`.
 */
export async function confirmEmail(
  uses: Omit<LinkUses, 'users' | 'store'> &
    NoticeUses & { readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>; readonly clock: Clock },
  text: string,
  browser: Omit<Browser, 'token'>,
): Promise<User> {
  const change = await peekEmailChange(uses, text);
  const token = readMailedToken(uses.secrets, 'email', text);
  if (change === null || token === null) throw linkForbidden();
  return uses.store.transaction(token.customerId, async (transaction) => {
    requireAdmitted(await transaction.customer.lock(), browser.namedAddress);
    const [held, at] = [await transaction.users.lock(token.userId), uses.clock.now()];
    if (held === null || !isMailedTokenOpen(token, held, at)) throw linkForbidden();
    if (await wasChangedSince(transaction.audit, token, held)) throw linkForbidden();
    const user = { ...held, email: token.email };
    if (!(await transaction.users.update(user))) throw emailTaken();
    const edited = { action: 'user.edited', changes: ['email'], subject: auditSubject(user), at } as const;
    await transaction.audit.add(userActor(user, browser.address), edited);
    const { address, userAgent } = browser;
    const notice = { template: 'email_changed', email: token.email } as const;
    await notifyPerson(uses, transaction, held, notice, { at, address, userAgent });
    return user;
  });
}
