import type { AccountCaller } from '../customers/account-caller.js';
import type { MailUses } from '../mail/queue-mail.js';
import type { Transaction } from '../shared/transactional.js';
import { mailLink } from './mail-link.js';
import { auditSubject, type User, withLink } from './user.js';

export interface Invitation {
  readonly user: User;
  /** The link with which the person signs in, once, within seven days. It is only available here. */
  readonly link: string;
  /** Whether the person gets it by mail, too. */
  readonly isMailed: boolean;
}

export interface NewLink {
  readonly link: string;
  /** Of its token. */
  readonly hash: string;
  readonly at: Date;
  /** Using it removes the second factors. */
  readonly withoutFactors: boolean;
}

/** Gives a user, who is locked, a new link; the previous one becomes invalid. One that removes second factors is never mailed. */
export async function replaceLink(
  uses: MailUses,
  transaction: Transaction<'customer' | 'users' | 'audit' | 'jobs'>,
  caller: Pick<AccountCaller, 'actor'>,
  held: User,
  { link, hash, at, withoutFactors }: NewLink,
): Promise<Invitation> {
  const user = withLink(held, hash, at, withoutFactors);
  await transaction.users.update(user);
  const changes = withoutFactors ? ['secondFactors'] : [];
  await transaction.audit.add(caller.actor, { action: 'user.linked', subject: auditSubject(user), changes, at });
  const isMailed = !withoutFactors && (await mailLink(uses, transaction, caller, user, link, at));
  return { user, link, isMailed };
}
