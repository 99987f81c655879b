import type { Id } from '../shared/ids.js';
import type { Actor } from './actor.js';
import type { AuditAction, AuditEntry, Change } from './audit-entry.js';

/** What is looked for; null: everything. */
export interface AuditFilter {
  readonly actions: readonly AuditAction[] | null;
  /** E-mail address or other name of whoever did it, or of what it was done to; in whatever case. */
  readonly name: string | null;
  /** The first instant. */
  readonly from: Date | null;
  /** The first instant after the last. */
  readonly until: Date | null;
}

export const noFilter: AuditFilter = { actions: null, name: null, from: null, until: null };

/** Of the bound customer. */
export interface AuditReads {
  /** Newest first: ids below `before` (null: from the newest) that the filter lets through, at most `limit`. */
  list(before: Id | null, limit: number, filter?: AuditFilter): Promise<readonly AuditEntry[]>;
}

/** Written with the change: both are there, or neither. What was written is never changed. */
export interface AuditTrail extends AuditReads {
  add(actor: Actor, change: Omit<Change, 'customerId'>): Promise<void>;
}

/** The entries of all customers. */
export interface AuditLog {
  /** Forgets entries from before, at most `limit`. Answers how many. */
  sweep(before: Date, limit: number): Promise<number>;
}
