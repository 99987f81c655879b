import { after, type Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { AUDIT_MS, type AuditEntry } from './audit-entry.js';
import { type AuditFilter, type AuditLog, noFilter } from './audit-log.js';

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
