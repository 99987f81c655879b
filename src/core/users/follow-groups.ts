import type { Transaction } from '../shared/transactional.js';
import type { Role } from './role.js';
import { keepLastOwner } from './role-by-groups.js';
import { auditSubject, type User, userActor } from './user.js';

/**
 * Gives a person who has proven everything the role that their groups give; the last owner remains one. A change is recorded. The customer
 * is locked, and so is the user.
 */
export async function followGroups(
  { users, audit }: Transaction<'users' | 'audit'>,
  user: User,
  given: Role,
  { address, at }: { readonly address: string; readonly at: Date },
): Promise<User> {
  const role = keepLastOwner(given, user, await users.list());
  if (role === user.role) return user;
  const member = { ...user, role };
  await users.update(member);
  await audit.add(userActor(user, address), {
    action: 'user.edited',
    changes: ['role'],
    subject: auditSubject(user),
    at,
  });
  return member;
}
