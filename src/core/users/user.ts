import type { Actor, Change } from '../audit/audit-entry.js';
import type { AuditTrail } from '../audit/audit-log.js';
import type { AccountCaller } from '../customers/customer.js';
import { after, DAY } from '../shared/clock.js';
import { DomainError, type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, codePoints } from '../shared/text.js';

/** A person with access to one customer's settings area. */
export interface User {
  readonly customerId: Id;
  readonly id: Id;
  /** In lower case; null only for the first owner of an installation, until that person signs in. */
  readonly email: string | null;
  readonly role: Role;
  /** Null until the person follows a link and chooses a password. */
  readonly passwordHash: string | null;
  /** SHA-256 of the one link that signs this person in, once; null when there is none. */
  readonly linkHash: string | null;
  readonly linkExpiresAt: Date | null;
  /** The person who uses the link loses the second factors: the operator said so. */
  readonly linkDropsFactors: boolean;
  readonly createdAt: Date;
  /** When the person first signed in; null while the invitation is open. */
  readonly joinedAt: Date | null;
  readonly lastSignInAt: Date | null;
}

/** Adds what was done to a person, or in their name, to the audit log. */
export function auditUser(
  audit: AuditTrail,
  actor: Actor,
  { id, email }: Pick<User, 'id' | 'email'>,
  change: Omit<Change, 'customerId' | 'subject'>,
): Promise<void> {
  return audit.add(actor, { ...change, subject: { id, name: email } });
}

/** Returns the name that attempts to sign in as this person are counted by, and that the log of refusals shows. */
export function accountOf({ id, email }: Pick<User, 'id' | 'email'>): string {
  return email ?? `user ${id}`;
}

export function userActor({ id, email }: Pick<User, 'id' | 'email'>, address: string): Actor {
  return { kind: 'person', id, name: email, address };
}

export type NewUser = Omit<User, 'customerId' | 'id'>;

export const MAX_USERS = 100;
/** Days for which an invitation, or a new link, is valid. */
export const LINK_DAYS = 7;
/** RFC 5321, without the angle brackets. */
export const MAX_EMAIL = 254;

export function newInvitedUser(email: string | null, role: Role, at: Date): NewUser {
  return {
    email,
    role,
    passwordHash: null,
    linkHash: null,
    linkExpiresAt: null,
    linkDropsFactors: false,
    createdAt: at,
    joinedAt: null,
    lastSignInAt: null,
  };
}

/** A new link; it invalidates the previous one. */
export function withLink<T extends NewUser>(user: T, linkHash: string, at: Date, dropsFactors = false): T {
  return { ...user, linkHash, linkExpiresAt: after(at, LINK_DAYS * DAY), linkDropsFactors: dropsFactors };
}

/** The link is used up, or no longer wanted. */
export function withoutLink<T extends NewUser>(user: T): T {
  return { ...user, linkHash: null, linkExpiresAt: null, linkDropsFactors: false };
}

export function isLinkOpen(user: Pick<User, 'linkHash' | 'linkExpiresAt'>, linkHash: string, now: Date): boolean {
  return user.linkHash === linkHash && user.linkExpiresAt !== null && user.linkExpiresAt.getTime() > now.getTime();
}

/** Whether another person can invite people: an owner who has signed in. */
export function hasOtherOwner(user: Pick<User, 'id'>, users: readonly User[]): boolean {
  return users.some(({ id, role, joinedAt }) => id !== user.id && role === 'owner' && joinedAt !== null);
}

/** An account needs at least one person who can invite others. Errors: `invalid_request`. */
export function requireOtherOwner(user: Pick<User, 'id'>, users: readonly User[]): void {
  if (hasOtherOwner(user, users)) return;
  const message = 'This is the only owner who has signed in. Make someone else an owner first.';
  throw invalid({ field: 'role', code: 'conflict', message });
}

/** The address as it is stored and compared. Errors: `invalid_request`. */
export function readEmail(text: string): string {
  const email = normalEmail(text);
  const error = emailError(email);
  if (error !== null) throw invalid(error);
  return email;
}

export function emailError(email: string): FieldError | null {
  if (/^[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>".]+$/.test(email) && codePoints(email) <= MAX_EMAIL) return null;
  const code = email === '' ? 'required' : 'invalid_format';
  return { field: 'email', code, message: 'Enter an e-mail address such as anna@example.com.' };
}

export function emailTaken(): DomainError {
  const message = 'Another person in this account already uses this address.';
  return invalid({ field: 'email', code: 'conflict', message });
}

export function normalEmail(text: string): string {
  return cleanText(text).toLowerCase();
}

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
  throw new DomainError('scope_required', 'Only an owner may make someone an owner, or change one.');
}
