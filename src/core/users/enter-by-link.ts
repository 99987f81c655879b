import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { User } from './user.js';
import { entered, isLinkOpen, named } from './user.js';
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

/** Uses a one-time link up. Of two at once one gets in. Errors: `url_forbidden` when it lets nobody in (any more). */
export async function enterByLink(uses: Uses<'users' | 'store' | 'clock'>, token: string): Promise<User> {
  const known = await peekLink(uses, token);
  const hash = hashRandomToken(token);
  const user =
    known &&
    (await uses.store.within(known.user.customerId, async ({ users, audit }) => {
      const held = await users.lock(known.user.id);
      if (held === null || !isLinkOpen(held, hash, uses.clock.now())) return null;
      const come = entered(held, uses.clock.now());
      await users.update(come);
      if (held.joinedAt === null)
        await audit.add({ action: 'user.joined', subject: named(come), at: uses.clock.now() });
      return come;
    }));
  if (user) return user;
  const message = 'This link was used already, is too old, or was replaced by a newer one. Ask for a new one.';
  throw new DomainError('url_forbidden', message);
}
