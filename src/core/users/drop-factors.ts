import type { Transaction } from '../shared/transactional.js';
import { type Circumstances, type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { auditSubject, type User, userActor } from './user.js';

/** Removes all second factors of a person who uses a link that the operator made for that, and tells them. The user is locked. */
export async function dropFactors(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>,
  user: User,
  here: Circumstances & Pick<Browser, 'address'>,
): Promise<void> {
  const count = await transaction.factors.deleteAll(user.id);
  if (count === 0) return;
  const change = { action: 'user.factor_removed', subject: auditSubject(user), count, at: here.at } as const;
  await transaction.audit.add(userActor(user, here.address), change);
  await notifyPerson(uses, transaction, user, { template: 'factor_removed' }, here);
}
