import type { DataSource, EntityManager } from 'typeorm';
import type { Actor } from '../../../core/audit/actor.js';
import { type AuditEntry, type Change, entryOf } from '../../../core/audit/audit-entry.js';
import { type AuditLog, type AuditTrail, noFilter } from '../../../core/audit/audit-log.js';
import type { Id } from '../../../core/shared/ids.js';
import { change, insert, select, selectList } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { auditTable } from './audit.table.js';

export class TypeormAuditTrail implements AuditTrail {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async add(actor: Actor, made: Omit<Change, 'customerId'>): Promise<void> {
    await insert(this.manager, auditTable, [entryOf(actor, { ...made, customerId: this.customerId })]);
  }

  list(before: Id | null, limit: number, filter = noFilter): Promise<readonly AuditEntry[]> {
    const { actions, name, from, until } = filter;
    return select<AuditEntry>(
      this.manager,
      `SELECT ${selectList(auditTable, 'a')} FROM audit_entries a WHERE customer_id = $1 AND id < $2
         AND ($4::text[] IS NULL OR action = ANY ($4)) AND ($5::text IS NULL OR lower($5) IN (lower(actor_name), lower(subject_name)))
         AND ($6::timestamptz IS NULL OR at >= $6) AND ($7::timestamptz IS NULL OR at < $7)
       ORDER BY id DESC LIMIT $3`,
      [this.customerId, before ?? Number.MAX_SAFE_INTEGER, limit, actions, name, from, until],
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
