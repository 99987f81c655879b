import type { Transaction } from '../shared/transactional.js';
import type { ProviderSettings } from './identity-provider.js';
import { auditSubject, hasOtherOwner, mayActAs, type Role, type User, userActor } from './user.js';

/**
 * The role that the groups of a person give: the highest of them, or that of new people. Owners neither become nor cease to be by a group,
 * unless the operator has given a group that role.
 */
export function roleByGroups(
  { groupRoles, role }: Pick<ProviderSettings, 'groupRoles' | 'role'>,
  groups: readonly string[],
  current: Role,
): Role {
  if (groupRoles === null) return current;
  if (current === 'owner' && !Object.values(groupRoles).includes('owner')) return current;
  const given = Object.entries(groupRoles).flatMap(([group, role]) => (groups.includes(group) ? role : []));
  return given.reduce((highest, each) => (mayActAs(each, highest) ? each : highest), given[0] ?? role);
}

/** The last owner remains, whatever the groups say. */
function keepLastOwner(role: Role, user: Pick<User, 'id' | 'role'>, everyone: readonly User[]): Role {
  if (user.role !== 'owner' || role === 'owner') return role;
  return hasOtherOwner(user, everyone) ? role : 'owner';
}

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
