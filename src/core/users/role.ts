import type { AccountCaller } from '../customers/account-caller.js';
import { DomainError } from '../shared/errors.js';

/** From the least to the most: each role may do what those before it may. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
/**
 * A viewer looks and downloads; an editor also works with photos, imports, tags and shares; an admin also with keys, webhooks, delivery and
 * people who are no owners; an owner may also erase the account.
 */
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

export function mayActAs(role: Role, needed: Role): boolean {
  return isRole(role) && roles.indexOf(role) >= roles.indexOf(needed);
}

/** Who invites, changes and removes people. */
export interface PeopleManager extends AccountCaller {
  readonly role: Role;
}

/** Owners manage everyone; admins everyone but owners, so that none makes oneself or another an owner. */
export function mayManage({ role }: Pick<PeopleManager, 'role'>, managed: Role): boolean {
  return mayActAs(role, 'admin') && (role === 'owner' || managed !== 'owner');
}

/** Errors: `scope_required`. */
export function requireMayManage(manager: Pick<PeopleManager, 'role'>, ...managed: readonly Role[]): void {
  if (managed.every((role) => mayManage(manager, role))) return;
  throw new DomainError('scope_required', 'Only an owner may make somebody an owner, or change one.');
}
