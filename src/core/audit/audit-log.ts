import type { Id } from '../shared/ids.js';
import type { Actor } from './actor.js';
import type { AuditAction, AuditEntry, Change } from './audit-entry.js';
import type { OperatorChange, OperatorEntry, OperatorEntryWindow } from './operator-entry.js';

/** Search criteria; null: everything. */
export interface AuditFilter {
  readonly actions: readonly AuditAction[] | null;
  /** E-mail address or other name of the actor or of the affected thing; case-insensitive. */
  readonly name: string | null;
  /** The first instant. */
  readonly from: Date | null;
  /** The first instant after the last. */
  readonly until: Date | null;
}

export const noFilter: AuditFilter = { actions: null, name: null, from: null, until: null };

/** For the bound customer. */
export interface AuditReads {
  /** Newest first: matching entries with ids below `before` (null: from the newest), at most `limit`. */
  list(before: Id | null, limit: number, filter?: AuditFilter): Promise<readonly AuditEntry[]>;
}

/** Written with the change: both are committed, or neither. Entries never change. */
export interface AuditTrail extends AuditReads {
  add(actor: Actor, change: Omit<Change, 'customerId'>): Promise<void>;
}

/** The entries of all customers, and those of none: what the operator did. */
export interface AuditLog {
  /** Stores an entry that outlives every account. */
  addOperatorEntry(actor: Actor, change: OperatorChange): Promise<void>;
  /** Newest first: those, and what tokens of the operator changed in accounts that still exist. */
  operatorEntries(window: OperatorEntryWindow): Promise<readonly OperatorEntry[]>;
  /** Deletes entries older than this, at most `limit` of accounts and as many of none. Returns the larger number of them. */
  sweep(before: Date, limit: number): Promise<number>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly audit: AuditReads;
  }
  interface Repositories {
    readonly audit: AuditTrail;
  }
}
