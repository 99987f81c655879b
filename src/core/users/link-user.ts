import type { MailUses } from '../mail/queue-mail.js';
import type { Addresses } from '../shared/addresses.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import { type Invitation, replaceLink } from './replace-link.js';
import { type PeopleManager, requireMayManage } from './role.js';

/**
 * A new link for an existing user who has lost the password; `withoutFactors`: and the second factors, which using the link removes. Only
 * the operator can tell who asks for that, so such a link is never mailed. Errors: `not_found`, `scope_required`.
 */
export async function linkUser(
  uses: MailUses & {
    store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
    clock: Clock;
    addresses: Addresses;
  },
  caller: PeopleManager,
  userId: Id,
  { withoutFactors = false }: { readonly withoutFactors?: boolean } = {},
): Promise<Invitation> {
  const token = newRandomToken();
  const link = uses.addresses.signIn(token);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const [user, at] = [requireFound(await transaction.users.lock(userId), 'user'), uses.clock.now()];
    requireMayManage(caller, user.role);
    return replaceLink(uses, transaction, caller, user, { link, hash: hashRandomToken(token), at, withoutFactors });
  });
}
