import { canonical } from '../shared/canonical.js';
import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Actor } from './actor.js';

/** All actions. Closed: pages have a label for each. */
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
  'delivery_key.created',
  'delivery_key.edited',
  'delivery_key.deleted',
  'preset.created',
  'preset.edited',
  'preset.deleted',
  'share.created',
  'share.edited',
  'share.revoked',
  'user.invited',
  'user.linked',
  'user.joined',
  'user.recovery_requested',
  'user.link_used',
  'user.signed_in',
  'user.sign_in_refused',
  'user.signed_out',
  'user.sessions_ended',
  'user.edited',
  'user.email_change_requested',
  'user.password_changed',
  'user.removed',
  'user.factor_added',
  'user.factor_removed',
  'user.recovery_codes_created',
  'user.recovery_code_used',
  'user.passkey_refused',
  'user.identity_linked',
  'user.identity_unlinked',
  'customer.created',
  'customer.edited',
  'customer.exported',
  'photo.deleted',
  'photo.bulk_edited',
  'photo.bulk_edit_undone',
] as const;
export type AuditAction = (typeof auditActions)[number];

/**
 * One change of a key, webhook endpoint, preset, share, user or customer, a sign-in, an export, photos that were deleted permanently, or
 * many photos that a person edited together. Never contains a token, secret, password or link.
 */
export interface AuditEntry {
  readonly customerId: Id;
  readonly id: Id;
  readonly at: Date;
  readonly action: AuditAction;
  /** Null: the entry is about several things. */
  readonly subjectId: Id | null;
  /** The name of the thing at that time; for several photos their ids, if a person or a program named them. */
  readonly subjectName: string | null;
  /** Number of affected things. */
  readonly count: number;
  /** Names of the fields whose value changed; empty unless something was edited. */
  readonly changes: readonly string[];
  readonly actorKind: Actor['kind'];
  readonly actorId: Id | null;
  readonly actorName: string | null;
  readonly address: string | null;
}

export type NewAuditEntry = Omit<AuditEntry, 'id'>;

/** The parts of an entry that a use case provides. */
export interface Change {
  readonly customerId: Id;
  readonly action: AuditAction;
  readonly at: Date;
  readonly subject: { readonly id: Id | null; readonly name: string | null };
  /** Default: one. */
  readonly count?: number;
  readonly changes?: readonly string[];
}

/** How long entries are retained. */
export const AUDIT_MS = 2 * 365 * DAY;

export function entryOf(
  actor: Actor,
  { customerId, action, at, subject, count = 1, changes = [] }: Change,
): NewAuditEntry {
  return { customerId, at, action, subjectId: subject.id, subjectName: subject.name, count, changes, ...whoOf(actor) };
}

/** The actor, as entries name it. */
export function whoOf({ kind, id, name, address }: Actor) {
  return { actorKind: kind, actorId: id, actorName: name, address } as const;
}

/** Which of these fields differ. */
export function changedFields<T>(before: T, after: T, fields: readonly (keyof T & string)[]): readonly string[] {
  return fields.filter((field) => canonical(before[field]) !== canonical(after[field]));
}
