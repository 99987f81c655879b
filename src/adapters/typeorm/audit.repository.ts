import type { DataSource, EntityManager } from 'typeorm';
import { type AuditEntry, type Change, entryOf } from '../../core/audit/audit-entry.js';
import type { AuditLog, AuditTrail } from '../../core/audit/audit-log.js';
import type { Id } from '../../core/shared/ids.js';
import { auditTable } from './audit.table.js';
import { change, insert, select, selected } from './rows.js';
import { withoutTransaction } from './transaction.js';

export class TypeormAuditTrail implements AuditTrail {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async add(made: Omit<Change, 'customerId'>): Promise<void> {
    await insert(this.manager, auditTable, [entryOf({ ...made, customerId: this.customerId })]);
  }

  list(before: Id | null, limit: number): Promise<readonly AuditEntry[]> {
    return select<AuditEntry>(
      this.manager,
      `SELECT ${selected(auditTable, 'a')} FROM audit_entries a WHERE customer_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
      [this.customerId, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
  }
}

export class TypeormAuditLog implements AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  sweep(before: Date, limit: number): Promise<number> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const { count } = await change(
        manager,
        `DELETE FROM audit_entries WHERE (customer_id, id) IN (
           SELECT customer_id, id FROM audit_entries WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
         )`,
        [before, limit],
      );
      return count;
    });
  }
}
