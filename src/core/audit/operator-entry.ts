import type { Id } from '../shared/ids.js';
import type { Actor } from './actor.js';
import { type AuditAction, type AuditEntry, type Change, whoOf } from './audit-entry.js';

/** What no account's own log can say: tokens of the operator belong to no account, and what is erased has no log. */
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
  /** What this token did, and what was done to it; null: all. */
  readonly tokenId: Id | null;
  readonly limit: number;
}
