import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import { type Browser, newSession } from './open-session.js';
import { auditSubject, emailTaken, entered, isLinkOpen, readCredentials, type User, userActor } from './user.js';
import type { KnownUser } from './user-store.js';

/**
 * Whom a one-time link would let in; nothing happens to it. Null when it lets nobody in (any more). What looks at links without
 * being asked to (previews of messengers, scanners of mail) must not use them up.
 */
export async function peekLink({ users, clock }: Uses<'users' | 'clock'>, token: string): Promise<KnownUser | null> {
  const hash = hashRandomToken(token);
  const known = await users.findByLink(hash);
  const isOpen = known !== null && known.customerStatus !== 'closing' && isLinkOpen(known.user, hash, clock.now());
  return isOpen ? known : null;
}

interface Arrival {
  readonly token: string;
  /** Ignored of somebody whose address is known. */
  readonly email: string;
  readonly password: string;
  /** It is signed in with it. */
  readonly browser: Browser;
}

/**
 * Spends a one-time link: sets what the person signs in with from now on, ends every session that there was, and signs the browser in. Of
 * two at once one gets in. Errors: `url_forbidden` when the link lets nobody in (any more); `invalid_request`, and the link stays as it is.
 */
export async function enterByLink(
  uses: Uses<'users' | 'store' | 'passwords' | 'commonPasswords' | 'clock'>,
  { token, browser, ...given }: Arrival,
): Promise<User> {
  const known = await peekLink(uses, token);
  if (known === null) throw linkRefused();
  const { email, password } = readCredentials(known.user, given, uses.commonPasswords);
  const [hash, passwordHash] = [hashRandomToken(token), await uses.passwords.hash(password)];
  return uses.store.transaction(known.user.customerId, async (transaction) => {
    await transaction.lockCustomer();
    const [held, now] = [await transaction.users.lock(known.user.id), uses.clock.now()];
    if (held === null || !isLinkOpen(held, hash, now)) throw linkRefused();
    const user = entered(held, { email: held.email ?? email, passwordHash }, now);
    if (!(await transaction.users.update(user))) throw emailTaken();
    await transaction.users.endSessions(user.id, null);
    await transaction.users.openSession(user.id, newSession(browser, now, true));
    const action = held.joinedAt === null ? 'user.joined' : 'user.link_used';
    await transaction.audit.add(userActor(user, browser.address), { action, subject: auditSubject(user), at: now });
    return user;
  });
}

export function linkRefused(): DomainError {
  const message = 'This link was used already, is too old, or was replaced by a newer one. Ask for a new one.';
  return new DomainError('url_forbidden', message);
}
