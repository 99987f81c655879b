import { canonical } from '../shared/canonical.js';
import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { type Actor, whoActs } from './actor.js';

/** What can have been done. Closed: pages have words for each. */
export const auditActions = [
  'api_key.created',
  'api_key.edited',
  'api_key.deleted',
  'webhook.created',
  'webhook.edited',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.secret_rotated',
  'webhook.deleted',
  'user.invited',
  'user.linked',
  'user.joined',
  'user.edited',
  'user.password_changed',
  'user.removed',
  'customer.created',
  'customer.edited',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One change of a key, webhook endpoint, user or customer. Never holds a token, secret, password or link. */
export interface AuditEntry {
  readonly customerId: Id;
  readonly id: Id;
  readonly at: Date;
  readonly action: AuditAction;
  readonly subjectId: Id;
  /** What the thing was called then. */
  readonly subjectName: string | null;
  /** Names of the fields that got another value; empty unless something was edited. */
  readonly changes: readonly string[];
  readonly actorKind: Actor['kind'];
  readonly actorId: Id | null;
  readonly actorName: string | null;
  readonly address: string | null;
}

export type NewAuditEntry = Omit<AuditEntry, 'id'>;

/** What a use case says of a change. */
export interface Change {
  readonly customerId: Id;
  readonly action: AuditAction;
  readonly at: Date;
  readonly subject: { readonly id: Id; readonly name: string | null };
  readonly changes?: readonly string[];
}

/** How long entries are kept (API.md §9). */
export const AUDIT_MS = 2 * 365 * DAY;

/** The change, in the name of whoever makes it. */
export function entryOf({ customerId, action, at, subject, changes = [] }: Change): NewAuditEntry {
  const { kind, id, name, address } = whoActs();
  const who = { actorKind: kind, actorId: id, actorName: name, address };
  return { customerId, at, action, subjectId: subject.id, subjectName: subject.name, changes, ...who };
}

/** Which of these fields have another value. */
export function changedFields<T>(before: T, after: T, fields: readonly (keyof T & string)[]): readonly string[] {
  return fields.filter((field) => canonical(before[field]) !== canonical(after[field]));
}
