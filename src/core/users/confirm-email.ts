import type { AuditReads } from '../audit/audit-log.js';
import type { Clock } from '../shared/clock.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { requireAdmitted } from './admitted-address.js';
import { linkForbidden } from './enter-by-link.js';
import { CONFIRMATION_MS } from './mail-confirmation.js';
import { isMailedTokenOpen, type MailedToken, readMailedToken } from './mailed-token.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { findByToken, type LinkUses } from './peek-link.js';
import { auditSubject, emailTaken, type User, userActor } from './user.js';

/** Whose address a link would change, and to which; this does not use it up. Null when it is not valid (any more). */
export async function peekEmailChange(
  uses: Omit<LinkUses, 'users' | 'store'> & { readonly store: Readable<'users' | 'audit'> },
  text: string,
): Promise<{ readonly user: User; readonly email: string } | null> {
  const token = readMailedToken(uses.secrets, 'email', text);
  const known = token && (await findByToken(uses, token));
  if (token === null || known === null || known.customerStatus === 'closing') return null;
  const { user } = known;
  if (!isMailedTokenOpen(token, user, uses.clock.now())) return null;
  const wasChanged = await uses.store.query(user.customerId, ({ audit }) => wasChangedSince(audit, token, user));
  return wasChanged ? null : { user, email: token.email };
}

/** Whoever has gone back to the address of before does not want the other any more. */
async function wasChangedSince(audit: AuditReads, { expiresAt }: MailedToken, { id, email }: User): Promise<boolean> {
  const filter = {
    actions: ['user.edited'],
    name: email,
    from: new Date(expiresAt - CONFIRMATION_MS + 1),
    until: null,
  } as const;
  const edits = await audit.list(null, 1000, filter);
  return edits.some(({ subjectId, changes }) => subjectId === id && changes.includes('email'));
}

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
