import type { Id } from '../shared/ids.js';
import type { AuditEntry, Change } from './audit-entry.js';

/** Of the bound customer. */
export interface AuditReads {
  /** Newest first: ids below `before` (null: from the newest), at most `limit`. */
  list(before: Id | null, limit: number): Promise<readonly AuditEntry[]>;
}

/** Written with the change: both are there, or neither. What was written is never changed. */
export interface AuditTrail extends AuditReads {
  /** Notes a change in the name of whoever acts (`whoActs`). */
  add(change: Omit<Change, 'customerId'>): Promise<void>;
}

/** The entries of all customers. */
export interface AuditLog {
  /** Forgets entries from before, at most `limit`. Answers how many. */
  sweep(before: Date, limit: number): Promise<number>;
}
