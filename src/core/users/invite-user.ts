import type { MailUses } from '../mail/queue-mail.js';
import type { Addresses } from '../shared/addresses.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import { mailLink } from './mail-link.js';
import { type Invitation, replaceLink } from './replace-link.js';
import { type PeopleManager, type Role, requireMayManage } from './role.js';
import { auditSubject, MAX_USERS, newInvitedUser, readEmail, tooManyUsers, withLink } from './user.js';

type InviteUses = MailUses & {
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly clock: Clock;
  readonly addresses: Addresses;
};

interface InvitationRequest {
  readonly email: string;
  readonly role: Role;
}

/**
 * Invites a person. If they were invited before, or are a user already, they get a new link and keep their role; the previous link becomes
 * invalid. Errors: `invalid_request`, `not_found` (customer), `scope_required`, `limit_reached`.
 */
export async function inviteUser(uses: InviteUses, caller: PeopleManager, request: InvitationRequest) {
  const email = readEmail(request.email);
  return invite(uses, caller, email, request.role);
}

/** The link into a new installation: its first owner chooses an address later. */
export function inviteFirstOwner(uses: InviteUses, caller: PeopleManager): Promise<Invitation> {
  return invite(uses, caller, null, 'owner');
}

async function invite(uses: InviteUses, caller: PeopleManager, email: string | null, role: Role): Promise<Invitation> {
  const { store, clock, addresses } = uses;
  const token = newRandomToken();
  const link = addresses.signIn(token);
  return store.transaction(caller.customerId, async (transaction) => {
    await transaction.customer.lock();
    const everyone = await transaction.users.list();
    const [now, hash] = [clock.now(), hashRandomToken(token)];
    const known = email === null ? undefined : everyone.find((each) => each.email === email);
    requireMayManage(caller, known?.role ?? role);
    if (known !== undefined) {
      const held = requireFound(await transaction.users.lock(known.id), 'user');
      return replaceLink(uses, transaction, caller, held, { link, hash, at: now, withoutFactors: false });
    }
    if (everyone.length >= MAX_USERS) throw tooManyUsers();
    const invited = withLink(newInvitedUser(email, role, now), hash, now);
    const user = requireFound(await transaction.users.insert(invited), 'user');
    await transaction.audit.add(caller.actor, { action: 'user.invited', subject: auditSubject(user), at: now });
    return { user, link, isMailed: await mailLink(uses, transaction, caller, user, link, now) };
  });
}
