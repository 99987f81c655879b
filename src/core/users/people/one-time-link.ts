import { noFilter } from '../../audit/audit-log.js';
import type { AccountCaller } from '../../customers/customer.js';
import { type MailUses, queueMail } from '../../mail/send-mail.js';
import type { Addresses } from '../../shared/addresses.js';
import { after, type Clock, HOUR } from '../../shared/clock.js';
import { requireBelowLimit, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { hashRandomToken, newRandomToken } from '../../shared/secrets.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import {
  auditUser,
  MAX_USERS,
  newInvitedUser,
  type PeopleManager,
  type Role,
  readEmail,
  requireMayManage,
  type User,
  withLink,
} from '../user.js';

type InviteUses = MailUses & {
  readonly store: Transactional<'customer' | 'users' | 'audit' | 'jobs'>;
  readonly clock: Clock;
  readonly addresses: Addresses;
};

/**
 * Invites a person. If they were invited before, or are a user already, they get a new link and keep their role; the previous link becomes
 * invalid. Errors: `invalid_request`, `not_found` (customer), `scope_required`, `limit_reached`.
 */
export async function inviteUser(
  uses: InviteUses,
  caller: PeopleManager,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<Invitation> {
  return invite(uses, caller, readEmail(email), role);
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
      return storeNewLink(uses, transaction, caller, held, { link, hash, at: now, withoutFactors: false });
    }
    const tooMany = `An account can have at most ${MAX_USERS} people. Remove someone first.`;
    requireBelowLimit(everyone.length, MAX_USERS, 'users', tooMany);
    const invited = withLink(newInvitedUser(email, role, now), hash, now);
    const user = requireFound(await transaction.users.insert(invited), 'user');
    await auditUser(transaction.audit, caller.actor, user, { action: 'user.invited', at: now });
    return { user, link, isMailed: await mailLink(uses, transaction, caller, user, link, now) };
  });
}

/**
 * A new link for an existing user who has lost the password; `withoutFactors`: and the second factors, which using the link removes. Only
 * the operator can tell who asks for that, so such a link is never mailed. Errors: `not_found`, `scope_required`.
 */
export async function issueLink(
  uses: InviteUses,
  caller: PeopleManager,
  userId: Id,
  { withoutFactors = false }: { readonly withoutFactors?: boolean } = {},
): Promise<Invitation> {
  const token = newRandomToken();
  const link = uses.addresses.signIn(token);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const [user, at] = [requireFound(await transaction.users.lock(userId), 'user'), uses.clock.now()];
    requireMayManage(caller, user.role);
    return storeNewLink(uses, transaction, caller, user, { link, hash: hashRandomToken(token), at, withoutFactors });
  });
}

export interface Invitation {
  readonly user: User;
  /** The link with which the person signs in, once, within seven days. It is only available here. */
  readonly link: string;
  /** Whether the person gets it by mail, too. */
  readonly isMailed: boolean;
}

/**
 * Gives a user, who is locked, a new link with this hash of its token; the previous one becomes invalid. One that removes second factors is
 * never mailed.
 */
async function storeNewLink(
  uses: MailUses,
  transaction: Transaction<'customer' | 'users' | 'audit' | 'jobs'>,
  caller: Pick<AccountCaller, 'actor'>,
  held: User,
  given: { readonly link: string; readonly hash: string; readonly at: Date; readonly withoutFactors: boolean },
): Promise<Invitation> {
  const { link, hash, at, withoutFactors } = given;
  const user = withLink(held, hash, at, withoutFactors);
  await transaction.users.update(user);
  const changes = withoutFactors ? ['secondFactors'] : [];
  await auditUser(transaction.audit, caller.actor, user, { action: 'user.linked', changes, at });
  const isMailed = !withoutFactors && (await mailLink(uses, transaction, caller, user, link, at));
  return { user, link, isMailed };
}

/** Links that are mailed to one address in an hour. */
const LINK_MAILS_PER_ADDRESS = 3;
/** Links that one customer has mailed in an hour. */
export const LINK_MAILS_PER_CUSTOMER = 50;

/**
 * Mails a person the link that was made for them; the audit log says already that it was made. Returns whether it does: not without a
 * server for mail, not to the first owner, who has no address yet, and not beyond the limits. No one can use this server to fill mailboxes.
 */
async function mailLink(
  uses: MailUses,
  transaction: Transaction<'customer' | 'audit' | 'jobs'>,
  { actor }: Pick<AccountCaller, 'actor'>,
  { id, email, joinedAt, role, linkExpiresAt }: User,
  link: string,
  at: Date,
): Promise<boolean> {
  if (uses.mailer === null || email === null || linkExpiresAt === null) return false;
  const filter = { ...noFilter, actions: ['user.invited', 'user.linked'], from: after(at, -HOUR) } as const;
  const made = await transaction.audit.list(null, LINK_MAILS_PER_CUSTOMER + 1, filter);
  const own = made.filter(({ subjectName }) => subjectName === email);
  if (made.length > LINK_MAILS_PER_CUSTOMER || own.length > LINK_MAILS_PER_ADDRESS) return false;
  const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
  const to = { userId: id, address: email };
  const values = { account, timeZone, link, expiresAt: linkExpiresAt.toISOString() };
  const invitedBy = actor.kind === 'person' ? actor.name : null;
  const invitation = { to, template: 'invitation', values: { ...values, role, invitedBy } } as const;
  await queueMail(uses, transaction, joinedAt === null ? invitation : { to, template: 'new_link', values }, at);
  return true;
}
