import { queueMail } from '../mail/queue-mail.js';
import { after, DAY, HOUR, SECOND } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import { newMailedToken } from './mailed-token.js';
import type { NoticeUses } from './notify-person.js';
import { requestsWithinHour } from './recent-requests.js';
import type { User } from './user.js';

/** How long the link to a new address is valid. */
export const CONFIRMATION_MS = DAY;
const REQUESTS_PER_HOUR = 5;

/** Mails the link to the new address that makes it the person's. */
export async function mailConfirmation(
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

/** Nobody has mails sent to others' addresses all day. Errors: `rate_limited`. */
export async function requireFewRequests({ audit }: Transaction<'audit'>, user: User, at: Date): Promise<void> {
  if ((await requestsWithinHour(audit, 'user.email_change_requested', user, at)) < REQUESTS_PER_HOUR) return;
  const message = `You can change your address at most ${REQUESTS_PER_HOUR} times in an hour. Try again later.`;
  throw new DomainError('rate_limited', message, { retryAfter: HOUR / SECOND });
}
