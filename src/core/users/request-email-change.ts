import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { changeEmail } from './change-email.js';
import { mailConfirmation, requireFewRequests } from './mail-confirmation.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { KnownSession } from './session.js';
import { auditSubject, emailTaken, readEmail } from './user.js';

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
