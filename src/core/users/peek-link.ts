import type { CustomerDirectory } from '../customers/customer-directory.js';
import type { Clock } from '../shared/clock.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { MailedToken } from './mailed-token.js';
import { isOpenFor, readLink } from './one-time-link.js';
import type { KnownUser, UserStore } from './user-store.js';

export interface LinkUses {
  readonly users: UserStore;
  readonly customers: Pick<CustomerDirectory, 'find'>;
  readonly store: Readable<'users'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * The person whom a one-time link would sign in; this does not use it up. Null when it is not valid (any more). Programs that open links on
 * their own (previews of messengers, mail scanners) must not use them up.
 */
export async function peekLink(uses: LinkUses, token: string): Promise<KnownUser | null> {
  const link = readLink(uses, token);
  const known = await (link.kind === 'made' ? uses.users.findByLink(link.hash) : findByToken(uses, link.token));
  const isOpen = known !== null && known.customerStatus !== 'closing' && isOpenFor(link, known.user, uses.clock.now());
  return isOpen ? known : null;
}

/** The person that a link in a mail is for; null when that person is gone. */
export async function findByToken(
  { customers, store }: Pick<LinkUses, 'customers' | 'store'>,
  { customerId, userId }: MailedToken,
): Promise<KnownUser | null> {
  const customer = await customers.find(customerId);
  const user = customer && (await store.query(customerId, ({ users }) => users.get(userId)));
  return user && { user, customerStatus: customer.status };
}
