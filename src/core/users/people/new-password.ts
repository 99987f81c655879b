import { addressBudget } from '../../access/ip-list.js';
import { type RateWindowStore, requireBudget } from '../../access/rolling-window.js';
import type { Actor } from '../../audit/audit-entry.js';
import { type MailUses, queueMail } from '../../mail/send-mail.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, MINUTE } from '../../shared/clock.js';
import { invalid, requireFound } from '../../shared/errors.js';
import type { Transactional } from '../../shared/transactional.js';
import type { FactorUses } from '../factors/add.js';
import { type ConfirmUses, confirmIdentity, type FactorAnswer, wrongPassword } from '../factors/confirm-identity.js';
import { newMailedToken, requestsWithinHour } from '../mailed-token.js';
import { notifyPerson } from '../notify-person.js';
import { type PasswordStrength, passwordError } from '../passwords.js';
import { maySetPassword, type Session } from '../session.js';
import { auditUser, normalEmail, userActor, withoutLink } from '../user.js';
import { type UserStore, usersOf } from '../user-store.js';

/**
 * Sets the caller's password; all their other browsers are signed out. Guesses at the current one, or at a code, are counted per session.
 * `current` is the password or, of a person with a second factor, a code or passkey. Ignored in the first minutes of a session that started
 * with a one-time link.
 * Errors: `invalid_request`, `rate_limited`, `not_found`.
 */
export async function changePassword(
  uses: Omit<ConfirmUses, 'store'> & FactorUses & { passwordStrength: PasswordStrength },
  session: Session,
  { current, password }: { readonly current: FactorAnswer; readonly password: string },
  address: string,
): Promise<void> {
  const { store, passwords, clock } = uses;
  const { user, hasFactor } = await store.query(session.customerId, async ({ users, factors }) => ({
    user: requireFound(await users.get(session.userId), 'user'),
    hasFactor: (await factors.countFactors(session.userId)) > 0,
  }));
  // First, because a code counts once: it should not be lost to a password that is refused anyway.
  const error = await passwordError(uses, password, user);
  if (error !== null) throw invalid(error);
  if (!maySetPassword({ session, user, hasFactor }, clock.now()))
    await confirmIdentity(uses, { session, user, hasFactor }, current, FIELD);
  const passwordHash = await passwords.hash(password);
  await store.transaction(session.customerId, async (transaction) => {
    const { users, factors, audit } = transaction;
    const held = requireFound(await users.lock(session.userId), 'user');
    // Another browser was faster: the password that was compared is no longer valid.
    if (held.passwordHash !== user.passwordHash) throw wrongPassword(FIELD);
    await users.update({ ...withoutLink(held), passwordHash });
    await users.endSessions(session.userId, session.id);
    await factors.endPendingOf(session.userId);
    const at = clock.now();
    await auditUser(audit, userActor(held, address), held, { action: 'user.password_changed', at });
    const here = { at, address, userAgent: session.browser };
    await notifyPerson(uses, transaction, held, { template: 'password_changed' }, here);
  });
}

const FIELD = 'current';

/** Requests per minute from one source. */
const PER_SOURCE = 5;
/** Every request takes at least so long, which is longer than storing a mail takes. */
const AT_LEAST_MS = 500;

/**
 * Mails a link for a new password to everyone who signs in with this address and a password. Neither the result nor its time reveals whether
 * there is anyone. Errors: `rate_limited`.
 */
export async function requestRecovery(
  uses: RecoveryUses & { rateWindows: RateWindowStore },
  text: string,
  source: string,
): Promise<void> {
  const budget = { name: `recovery:from:${addressBudget(source)}`, limit: PER_SOURCE };
  await requireBudget(uses, budget, 'Too many attempts.');
  await Promise.all([uses.clock.pause(AT_LEAST_MS), mailRecovery(uses, text, source)]);
}

/** Period for which a link for a new password is valid. */
export const RECOVERY_MS = 60 * MINUTE;
/** Mails to one person in an hour; their links are all valid. */
const MAILS_PER_HOUR = 3;

type RecoveryUses = MailUses & {
  readonly users: UserStore;
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly addresses: Addresses;
  readonly clock: Clock;
};

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
      const unknownPerson: Actor = { kind: 'person', id: null, name: null, address: source };
      await auditUser(transaction.audit, unknownPerson, user, { action: 'user.recovery_requested', at });
    });
  }
}
