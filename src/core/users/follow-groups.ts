import type { Transaction } from '../shared/transactional.js';
import type { Assertion, ProviderSettings } from './identity-provider.js';
import { roleAtSignIn } from './role-by-groups.js';
import { auditSubject, type User, userActor } from './user.js';

/** The user with the role that the groups of a person give now. A change is recorded; storing the user is left to the caller. */
export async function followGroups(
  { users, audit }: Transaction<'users' | 'audit'>,
  settings: ProviderSettings,
  { groups }: Assertion,
  user: User,
  { address, at }: { readonly address: string; readonly at: Date },
): Promise<User> {
  const role = roleAtSignIn(settings, groups, user, await users.list());
  if (role === user.role) return user;
  const edited = { action: 'user.edited', changes: ['role'], subject: auditSubject(user), at } as const;
  await audit.add(userActor(user, address), edited);
  return { ...user, role };
}
