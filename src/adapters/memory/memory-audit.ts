import { type AuditEntry, type Change, entryOf } from '../../core/audit/audit-entry.js';
import type { AuditLog, AuditTrail } from '../../core/audit/audit-log.js';
import type { Id } from '../../core/shared/ids.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';

export class MemoryAuditTrail implements AuditTrail {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async add(made: Omit<Change, 'customerId'>): Promise<void> {
    this.database.demandCustomer(this.customerId);
    const entry = { ...entryOf({ ...made, customerId: this.customerId }), id: this.database.next('audit entry') };
    this.database.auditEntries.set(entry.id, entry);
  }

  async list(before: Id | null, limit: number): Promise<readonly AuditEntry[]> {
    return this.database.auditEntries
      .where(({ customerId, id }) => customerId === this.customerId && id < (before ?? Number.POSITIVE_INFINITY))
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map(copyOf);
  }
}

export class MemoryAuditLog implements AuditLog {
  constructor(private readonly database: MemoryDatabase) {}

  sweep(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const old = this.database.auditEntries.where(({ at }) => at < before).slice(0, limit);
      for (const { id } of old) this.database.auditEntries.delete(id);
      return old.length;
    });
  }
}
