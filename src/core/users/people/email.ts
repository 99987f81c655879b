import { type AuditReads, noFilter } from '../../audit/audit-log.js';
import type { AccountCaller } from '../../customers/customer.js';
import type { CustomerDirectory } from '../../customers/customer-directory.js';
import { queueMail } from '../../mail/send-mail.js';
import { after, type Clock, DAY, HOUR, SECOND } from '../../shared/clock.js';
import { DomainError, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Readable, Transactional } from '../../shared/transactional.js';
import { requireAdmitted } from '../admission.js';
import {
  findByToken,
  isMailedTokenOpen,
  linkForbidden,
  type MailedToken,
  newMailedToken,
  readMailedToken,
  requestsWithinHour,
} from '../mailed-token.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { Browser, KnownSession } from '../session.js';
import { auditUser, emailTaken, readEmail, type User, userActor } from '../user.js';

/** Period for which the link to a new address is valid. */
const CONFIRMATION_MS = DAY;
/** Limits how many mails a person has sent to others' addresses. */
const REQUESTS_PER_HOUR = 5;

/**
 * Mails a link to the address that a person wants to sign in with, and tells the address before. The change takes effect when the link is
 * confirmed; without a server for mail at once. Returns which of the two. Errors: `invalid_request`, `not_found`, `rate_limited`.
 */
export async function requestEmailChange(
  uses: NoticeUses & { store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>; clock: Clock },
  caller: AccountCaller,
  { session }: Pick<KnownSession, 'session'>,
  text: string,
): Promise<'changed' | 'requested'> {
  const email = readEmail(text);
  const result = await uses.store.transaction(
    caller.customerId,
    async (transaction): Promise<'changed' | 'requested'> => {
      const everyone = await transaction.users.list();
      const user = requireFound(await transaction.users.lock(session.userId), 'user');
      if (uses.mailer === null || user.email === null || user.email === email) return 'changed';
      if (everyone.some((other) => other.id !== user.id && other.email === email)) throw emailTaken();
      const at = uses.clock.now();
      const requests = await requestsWithinHour(transaction.audit, 'user.email_change_requested', user, at);
      if (requests >= REQUESTS_PER_HOUR) {
        const message = `You can change your address at most ${REQUESTS_PER_HOUR} times in an hour. Try again later.`;
        throw new DomainError('rate_limited', message, { retryAfter: HOUR / SECOND });
      }
      const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
      const expiresAt = after(at, CONFIRMATION_MS);
      const link = uses.addresses.confirmEmail(newMailedToken(uses.secrets, 'email', user, expiresAt, email));
      const values = { account, timeZone, link, expiresAt: expiresAt.toISOString(), email };
      const to = { userId: user.id, address: email };
      await queueMail(uses, transaction, { to, template: 'email_confirmation', values }, at);
      const here = { at, address: caller.actor.address, userAgent: session.browser };
      await notifyPerson(uses, transaction, user, { template: 'email_change_requested', email }, here);
      await auditUser(transaction.audit, caller.actor, user, { action: 'user.email_change_requested', at });
      return 'requested';
    },
  );
  if (result === 'changed') await changeEmail(uses, caller, session.userId, text);
  return result;
}

/** Sets the address that a person signs in with. Errors: `invalid_request`, also when another user of this customer has it; `not_found`. */
export async function changeEmail(
  { store, clock }: { store: Transactional<'customer' | 'users' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  userId: Id,
  text: string,
): Promise<User> {
  const email = readEmail(text);
  return store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const user = { ...requireFound(await transaction.users.lock(userId), 'user'), email };
    if (!(await transaction.users.update(user))) throw emailTaken();
    const change = { action: 'user.edited', changes: ['email'], at: clock.now() } as const;
    await auditUser(transaction.audit, caller.actor, user, change);
    return user;
  });
}

interface TokenUses {
  readonly customers: Pick<CustomerDirectory, 'find'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Whose address a link would change, and to which; this does not use it up. Null when it is not, or no longer, valid. */
export async function peekEmailChange(
  uses: TokenUses & { readonly store: Readable<'users' | 'audit'> },
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

/** A person who has gone back to the previous address no longer wants the other. */
async function wasChangedSince(audit: AuditReads, { expiresAt }: MailedToken, { id, email }: User): Promise<boolean> {
  const from = new Date(expiresAt - CONFIRMATION_MS + 1);
  const filter = { ...noFilter, actions: ['user.edited'], name: email, from } as const;
  const edits = await audit.list(null, 1000, filter);
  return edits.some(({ subjectId, changes }) => subjectId === id && changes.includes('email'));
}

/**
 * Sets the address that a link was mailed to, and tells the one before. The person who opened it need not be signed in. Errors: `url_forbidden` when
 * the link is not, or no longer, valid; `invalid_request` when another user of this customer has the address by now; `ip_not_whitelisted`.
 */
export async function confirmEmail(
  uses: TokenUses & NoticeUses & { readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'> },
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
    const { address, userAgent } = browser;
    const edited = { action: 'user.edited', changes: ['email'], at } as const;
    await auditUser(transaction.audit, userActor(user, address), user, edited);
    const notice = { template: 'email_changed', email: token.email } as const;
    await notifyPerson(uses, transaction, held, notice, { at, address, userAgent });
    return user;
  });
}
