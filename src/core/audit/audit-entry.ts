import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { canonical } from '../shared/text.js';

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

/** Period for which entries are retained. */
export const AUDIT_MS = 2 * 365 * DAY;

export function entryOf(
  actor: Actor,
  { customerId, action, at, subject, count = 1, changes = [] }: Change,
): NewAuditEntry {
  return { customerId, at, action, subjectId: subject.id, subjectName: subject.name, count, changes, ...whoOf(actor) };
}

function whoOf({ kind, id, name, address }: Actor) {
  return { actorKind: kind, actorId: id, actorName: name, address } as const;
}

export function changedFields<T>(before: T, after: T, fields: readonly (keyof T & string)[]): readonly string[] {
  return fields.filter((field) => canonical(before[field]) !== canonical(after[field]));
}

/** The actions that no account's own log can record: tokens of the operator belong to no account, and what is erased has no log. */
export const operatorActions = [
  'operator_token.created',
  'operator_token.edited',
  'operator_token.deleted',
  'customer.erased',
] as const;
export type OperatorAction = (typeof operatorActions)[number];

/** A line of the operator's log, stored apart or found in the log of an account. Never contains a token, secret, password or link. */
export interface OperatorEntry extends Omit<AuditEntry, 'id' | 'customerId' | 'action'> {
  /** Null: it is about a token. */
  readonly customerId: Id | null;
  readonly action: AuditAction | OperatorAction;
}

export interface OperatorChange extends Pick<Change, 'at' | 'changes'> {
  readonly action: OperatorAction;
  /** The token or the account. */
  readonly subject: { readonly id: Id; readonly name: string | null };
}

export type NewOperatorEntry = Omit<OperatorEntry, 'customerId' | 'count'>;

export function operatorEntryOf(actor: Actor, { action, at, subject, changes = [] }: OperatorChange): NewOperatorEntry {
  return { at, action, subjectId: subject.id, subjectName: subject.name, changes, ...whoOf(actor) };
}

/** Which lines, newest first. */
export interface OperatorEntryWindow {
  /** Before this instant; null: from the newest on. */
  readonly until: Date | null;
  /** The token that acted, or that was acted on; null: all. */
  readonly tokenId: Id | null;
  readonly limit: number;
}

export interface Actor {
  /**
   * A signed-in person, a program with an API key, a program of the operator with a token, an operator who runs `phs`, or the service itself.
   */
  readonly kind: 'person' | 'api_key' | 'operator' | 'command_line' | 'service';
  /** The id of the user, the API key or the operator token; otherwise null. */
  readonly id: Id | null;
  /**
   * E-mail address of the user, or name of the API key or operator token, at that time; null for a user without an address, and for all
   * others.
   */
  readonly name: string | null;
  /** IP address that the request came from; null if there was no request. */
  readonly address: string | null;
}

export const commandLine: Actor = { kind: 'command_line', id: null, name: null, address: null };
export const service: Actor = { kind: 'service', id: null, name: null, address: null };
