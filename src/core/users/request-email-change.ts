import type { AccountCaller } from '../customers/account-caller.js';
import { queueMail } from '../mail/queue-mail.js';
import { after, type Clock, DAY, HOUR } from '../shared/clock.js';
import { DomainError, requireFound } from '../shared/errors.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { changeEmail } from './change-email.js';
import { newMailedToken } from './mailed-token.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { KnownSession } from './session.js';
import { auditSubject, emailTaken, readEmail, type User } from './user.js';

/** How long the link to a new address is valid. */
export const CONFIRMATION_MS = DAY;
const REQUESTS_PER_HOUR = 5;

type EmailChangeUses = NoticeUses & {
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly clock: Clock;
};

/**
 * Mails a link to the address that a person wants to sign in with, and tells the address before. The change takes effect when the link is
 * confirmed; without a server for mail at once. Returns which of the two. Errors: `invalid_request`, `not_found`, `rate_limited`.
 */
export async function requestEmailChange(
  uses: EmailChangeUses,
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
      await requireFewRequests(transaction, user, at);
      await mailConfirmation(uses, transaction, user, email, at);
      const here = { at, address: caller.actor.address, userAgent: session.browser };
      await notifyPerson(uses, transaction, user, { template: 'email_change_requested', email }, here);
      const requested = { action: 'user.email_change_requested', subject: auditSubject(user), at } as const;
      await transaction.audit.add(caller.actor, requested);
      return 'requested';
    },
  );
  if (result === 'changed') await changeEmail(uses, caller, session.userId, text);
  return result;
}

async function mailConfirmation(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'jobs'>,
  user: User,
  email: string,
  at: Date,
): Promise<void> {
  const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
  const expiresAt = after(at, CONFIRMATION_MS);
  const link = uses.addresses.confirmEmail(newMailedToken(uses.secrets, 'email', user, expiresAt, email));
  const values = { account, timeZone, link, expiresAt: expiresAt.toISOString(), email };
  const to = { userId: user.id, address: email };
  await queueMail(uses, transaction, { to, template: 'email_confirmation', values }, at);
}

/** Nobody has mails sent to others' addresses all day. */
async function requireFewRequests({ audit }: Transaction<'audit'>, { id, email }: User, at: Date): Promise<void> {
  const filter = {
    actions: ['user.email_change_requested'],
    name: email,
    from: after(at, -HOUR),
    until: null,
  } as const;
  const requests = await audit.list(null, 100, filter);
  if (requests.filter(({ subjectId }) => subjectId === id).length < REQUESTS_PER_HOUR) return;
  const message = `You can change your address at most ${REQUESTS_PER_HOUR} times in an hour. Try again later.`;
  throw new DomainError('rate_limited', message, { retryAfter: HOUR / 1000 });
}
