import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import { type Browser, newSession } from './open-session.js';
import type { PasswordHasher } from './password-hasher.js';
import { peekLink } from './peek-link.js';
import {
  auditSubject,
  type CommonPasswords,
  emailTaken,
  isLinkOpen,
  readCredentials,
  redeemLink,
  type User,
  userActor,
} from './user.js';
import type { UserStore } from './user-store.js';

interface Arrival {
  readonly token: string;
  /** Ignored for a person whose address is known. */
  readonly email: string;
  readonly password: string;
  /** The browser is signed in with it. */
  readonly browser: Browser;
}

/**
 * Uses up a one-time link: sets the person's new credentials, ends every existing session, and signs the browser in. Of two concurrent
 * calls, one succeeds. Errors: `url_forbidden` when the link is not valid (any more); `invalid_request`, and the link remains valid.
 */
export async function enterByLink(
  uses: {
    users: UserStore;
    store: Transactional<'customer' | 'users' | 'audit'>;
    passwords: PasswordHasher;
    commonPasswords: CommonPasswords;
    clock: Clock;
  },
  { token, browser, ...given }: Arrival,
): Promise<User> {
  const known = await peekLink(uses, token);
  if (known === null) throw linkForbidden();
  const { email, password } = readCredentials(known.user, given, uses.commonPasswords);
  const [hash, passwordHash] = [hashRandomToken(token), await uses.passwords.hash(password)];
  return uses.store.transaction(known.user.customerId, async (transaction) => {
    await transaction.customer.lock();
    const [held, now] = [await transaction.users.lock(known.user.id), uses.clock.now()];
    if (held === null || !isLinkOpen(held, hash, now)) throw linkForbidden();
    const user = redeemLink(held, { email: held.email ?? email, passwordHash }, now);
    if (!(await transaction.users.update(user))) throw emailTaken();
    await transaction.users.endSessions(user.id, null);
    await transaction.users.openSession(user.id, newSession(browser, now, true));
    const action = held.joinedAt === null ? 'user.joined' : 'user.link_used';
    await transaction.audit.add(userActor(user, browser.address), { action, subject: auditSubject(user), at: now });
    return user;
  });
}

export function linkForbidden(): DomainError {
  const message = 'This link has been used, has expired, or was replaced by a newer one. Ask for a new link.';
  return new DomainError('url_forbidden', message);
}
