import type { Clock } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import { isLinkOpen } from './user.js';
import type { KnownUser, UserStore } from './user-store.js';

/**
 * The person whom a one-time link would sign in; this does not use it up. Null when it is not valid (any more). Programs that open links on
 * their own (previews of messengers, mail scanners) must not use them up.
 */
export async function peekLink(
  { users, clock }: { users: UserStore; clock: Clock },
  token: string,
): Promise<KnownUser | null> {
  const hash = hashRandomToken(token);
  const known = await users.findByLink(hash);
  const isOpen = known !== null && known.customerStatus !== 'closing' && isLinkOpen(known.user, hash, clock.now());
  return isOpen ? known : null;
}
