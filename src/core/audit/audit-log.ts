import { after, type Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import {
  type Actor,
  AUDIT_MS,
  type AuditAction,
  type AuditEntry,
  type Change,
  type OperatorChange,
  type OperatorEntry,
  type OperatorEntryWindow,
} from './audit-entry.js';

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

/** The audit log of an account, newest first. Errors: `invalid_cursor`. */
export function listAudit(
  uses: { store: Readable<'audit'>; secrets: Secrets; clock: Clock },
  customerId: Id,
  request: PageRequest,
  filter: AuditFilter = noFilter,
): Promise<Page<AuditEntry>> {
  return uses.store.query(customerId, (reader) => {
    const listing = {
      customerId,
      list: 'audit',
      sort: '-id',
      filters: { ...filter, from: filter.from?.getTime() ?? null, until: filter.until?.getTime() ?? null },
      ...orderById<AuditEntry>(),
      rows: ({ after: last, limit }: PageWindow) => reader.audit.list(last?.id ?? null, limit, filter),
    };
    return readPage(uses, listing, request);
  });
}

const BATCH = 1000;

/** Deletes entries older than two years. */
export async function sweepAudit({ auditLog, clock }: { auditLog: AuditLog; clock: Clock }): Promise<void> {
  const before = after(clock.now(), -AUDIT_MS);
  while ((await auditLog.sweep(before, BATCH)) === BATCH);
}
