import type { AccountCaller } from '../customers/account-caller.js';
import { type MailUses, queueMail } from '../mail/queue-mail.js';
import { after, HOUR } from '../shared/clock.js';
import type { Transaction } from '../shared/transactional.js';
import type { User } from './user.js';

/** Links that are mailed to one address in an hour. */
const LINK_MAILS_PER_ADDRESS = 3;
/** Links that one customer has mailed in an hour. */
export const LINK_MAILS_PER_CUSTOMER = 50;

/**
 * Mails a person the link that somebody made for them; the audit log says already that it was made. Returns whether it does: not without a
 * server for mail, not to the first owner, who has no address yet, and not beyond the limits. Nobody uses this server to fill mailboxes.
 */
export async function mailLink(
  uses: MailUses,
  transaction: Transaction<'customer' | 'audit' | 'jobs'>,
  { actor }: Pick<AccountCaller, 'actor'>,
  { id, email, joinedAt, role, linkExpiresAt }: User,
  link: string,
  at: Date,
): Promise<boolean> {
  if (uses.mailer === null || email === null || linkExpiresAt === null) return false;
  if (await hasEnough(transaction, email, at)) return false;
  const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
  const [to, values] = [
    { userId: id, address: email },
    { account, timeZone, link, expiresAt: linkExpiresAt.toISOString() },
  ];
  const invitedBy = actor.kind === 'person' ? actor.name : null;
  const invitation = { to, template: 'invitation', values: { ...values, role, invitedBy } } as const;
  await queueMail(uses, transaction, joinedAt === null ? invitation : { to, template: 'new_link', values }, at);
  return true;
}

async function hasEnough({ audit }: Transaction<'audit'>, email: string, at: Date): Promise<boolean> {
  const filter = {
    actions: ['user.invited', 'user.linked'],
    name: null,
    from: after(at, -HOUR),
    until: null,
  } as const;
  const made = await audit.list(null, LINK_MAILS_PER_CUSTOMER + 1, filter);
  const own = made.filter(({ subjectName }) => subjectName === email);
  return made.length > LINK_MAILS_PER_CUSTOMER || own.length > LINK_MAILS_PER_ADDRESS;
}
