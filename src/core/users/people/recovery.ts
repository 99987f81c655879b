import { addressBudget } from '../../access/ip-list.js';
import { type RateWindowStore, requireBudget } from '../../access/rolling-window.js';
import type { Actor } from '../../audit/audit-entry.js';
import { type MailUses, queueMail } from '../../mail/send-mail.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, MINUTE } from '../../shared/clock.js';
import type { Transactional } from '../../shared/transactional.js';
import { newMailedToken, requestsWithinHour } from '../links.js';
import { auditSubject, normalEmail } from '../user.js';
import { type UserStore, usersOf } from '../user-store.js';

/** Requests per minute from one source. */
const PER_SOURCE = 5;
/** Every request takes at least so long, which is longer than storing a mail takes. */
const AT_LEAST_MS = 500;

type RequestUses = RecoveryUses & { readonly rateWindows: RateWindowStore };

/**
 * Mails a link for a new password to everyone who signs in with this address and a password. Neither the result nor its time reveals whether
 * there is anyone. Errors: `rate_limited`.
 */
export async function requestRecovery(uses: RequestUses, text: string, source: string): Promise<void> {
  const budget = { name: `recovery:from:${addressBudget(source)}`, limit: PER_SOURCE };
  await requireBudget(uses, budget, 'Too many attempts.');
  await Promise.all([uses.clock.pause(AT_LEAST_MS), mailRecovery(uses, text, source)]);
}

/** How long a link for a new password is valid. */
export const RECOVERY_MS = 60 * MINUTE;
/** Mails to one person in an hour; their links are all valid. */
const MAILS_PER_HOUR = 3;

type RecoveryUses = MailUses & {
  readonly users: UserStore;
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly addresses: Addresses;
  readonly clock: Clock;
};

/** To everyone who signs in with this address and a password. */
async function mailRecovery(uses: RecoveryUses, text: string, source: string): Promise<void> {
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
