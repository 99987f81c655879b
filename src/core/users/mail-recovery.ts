import type { Actor } from '../audit/actor.js';
import { type MailUses, queueMail } from '../mail/queue-mail.js';
import type { Addresses } from '../shared/addresses.js';
import { after, type Clock, MINUTE } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { newMailedToken } from './mailed-token.js';
import { requestsWithinHour } from './recent-requests.js';
import { auditSubject, normalEmail } from './user.js';
import type { UserStore } from './user-store.js';
import { usersOf } from './users-by-password.js';

/** How long a link for a new password is valid. */
export const RECOVERY_MS = 60 * MINUTE;
/** Mails to one person in an hour; their links are all valid. */
const MAILS_PER_HOUR = 3;

export type RecoveryUses = MailUses & {
  readonly users: UserStore;
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly addresses: Addresses;
  readonly clock: Clock;
};

/** To everyone who signs in with this address and a password. */
export async function mailRecovery(uses: RecoveryUses, text: string, source: string): Promise<void> {
  for (const { customerId, id } of await usersOf(uses, normalEmail(text))) {
    await uses.store.transaction(customerId, async (transaction) => {
      const user = await transaction.users.lock(id);
      const at = uses.clock.now();
      // A provider may have taken the password's place meanwhile.
      if (user === null || user.email === null || user.passwordHash === null) return;
      const requests = await requestsWithinHour(transaction.audit, 'user.recovery_requested', user, at);
      if (requests >= MAILS_PER_HOUR) return;
      const expiresAt = after(at, RECOVERY_MS);
      const link = uses.addresses.signIn(newMailedToken(uses.secrets, 'recovery', user, expiresAt));
      const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
      const to = { userId: id, address: user.email };
      const values = { account, timeZone, link, expiresAt: expiresAt.toISOString(), source };
      await queueMail(uses, transaction, { to, template: 'recovery', values }, at);
      const nobody: Actor = { kind: 'person', id: null, name: null, address: source };
      await transaction.audit.add(nobody, { action: 'user.recovery_requested', subject: auditSubject(user), at });
    });
  }
}
