import type { ProviderSettings } from './identity-provider.js';
import { mayActAs, type Role } from './role.js';
import { hasOtherOwner, type User } from './user.js';

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
export function keepLastOwner(role: Role, user: Pick<User, 'id' | 'role'>, everyone: readonly User[]): Role {
  if (user.role !== 'owner' || role === 'owner') return role;
  return hasOtherOwner(user, everyone) ? role : 'owner';
}
