import { type EntityManager, In, LessThan, MoreThanOrEqual } from 'typeorm';
import {
  type Actor,
  type AuditEntry,
  type Change,
  entryOf,
  type NewOperatorEntry,
  type OperatorChange,
  type OperatorEntry,
  type OperatorEntryWindow,
  operatorEntryOf,
} from '../../../core/audit/audit-entry.js';
import { type AuditLog, type AuditTrail, noFilter } from '../../../core/audit/audit-log.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { change, column, insert, tableOf } from '../database/sql.js';

/** The columns that entries of accounts and of the operator have alike. */
const entryColumns = {
  at: column.instant,
  action: column.text,
  subjectName: column.optionalText,
  changes: { type: 'text', array: true },
  actorKind: column.text,
  actorId: column.optionalBigWhole,
  actorName: column.optionalText,
  address: column.optionalText,
} as const;

export const auditTable = tableOf<AuditEntry>('auditEntry', 'audit_entries', {
  customerId: column.key,
  id: column.generatedKey,
  subjectId: column.optionalBigWhole,
  count: column.whole,
  ...entryColumns,
});

export const operatorEntryTable = tableOf<NewOperatorEntry & { id: Id }>('operatorEntry', 'operator_entries', {
  id: column.generatedKey,
  subjectId: column.bigWhole,
  ...entryColumns,
});

export class TypeormAuditTrail extends TypeormRepository implements AuditTrail {
  async add(actor: Actor, made: Omit<Change, 'customerId'>): Promise<void> {
    await insert(this.manager, auditTable, [entryOf(actor, { ...made, customerId: this.customerId })]);
  }

  list(before: Id | null, limit: number, filter = noFilter): Promise<readonly AuditEntry[]> {
    const { actions, name, from, until } = filter;
    const list = this.manager
      .createQueryBuilder(auditTable, 'entry')
      .where({ customerId: this.customerId, ...(before !== null && { id: LessThan(before) }) })
      .orderBy('entry.id', 'DESC')
      .take(limit);
    if (actions !== null) list.andWhere({ action: In(actions) });
    if (name !== null) list.andWhere('lower(:name) IN (lower(entry.actorName), lower(entry.subjectName))', { name });
    if (from !== null) list.andWhere({ at: MoreThanOrEqual(from) });
    if (until !== null) list.andWhere({ at: LessThan(until) });
    return list.getMany();
  }
}

export class TypeormAuditLog extends TypeormStore implements AuditLog {
  async addOperatorEntry(actor: Actor, made: OperatorChange): Promise<void> {
    await this.query((manager) => addOperatorEntry(manager, actor, made));
  }

  operatorEntries({ until, tokenId, limit }: OperatorEntryWindow): Promise<readonly OperatorEntry[]> {
    return this.select<OperatorEntry>(OPERATOR_ENTRIES, until ?? 'infinity', tokenId, limit);
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.query(async (manager) => {
      const sweep = (table: string, key: string) => {
        const old = `SELECT ${key} FROM ${table} WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED`;
        return change(manager, `DELETE FROM ${table} WHERE (${key}) IN (${old})`, [before, limit]);
      };
      const { count: ofAccounts } = await sweep('audit_entries', 'customer_id, id');
      const { count: ofNone } = await sweep('operator_entries', 'id');
      return Math.max(ofAccounts, ofNone);
    });
  }
}

/** In the transaction of the change. */
export async function addOperatorEntry(manager: EntityManager, actor: Actor, made: OperatorChange): Promise<void> {
  await insert(manager, operatorEntryTable, [operatorEntryOf(actor, made)]);
}

/** Entries of the same moment are in the order of their numbers. */
const OPERATOR_ENTRIES = `
  SELECT at, action, customer_id AS "customerId", subject_id AS "subjectId", subject_name AS "subjectName", count, changes,
    actor_kind AS "actorKind", actor_id AS "actorId", actor_name AS "actorName", address
  FROM (
    (
      SELECT id, at, action, CASE WHEN action = 'customer.erased' THEN subject_id END AS customer_id, subject_id, subject_name,
        1 AS count, changes, actor_kind, actor_id, actor_name, address
      FROM operator_entries
      WHERE at < $1 AND ($2::bigint IS NULL OR (actor_kind = 'operator' AND actor_id = $2) OR (subject_id = $2 AND action LIKE 'operator_token.%'))
      ORDER BY at DESC, id DESC LIMIT $3
    ) UNION ALL (
      SELECT id, at, action, customer_id, subject_id, subject_name, count, changes, actor_kind, actor_id, actor_name, address
      FROM audit_entries
      WHERE actor_kind = 'operator' AND at < $1 AND ($2::bigint IS NULL OR actor_id = $2)
      ORDER BY at DESC, id DESC LIMIT $3
    )
  ) entries
  ORDER BY at DESC, id DESC LIMIT $3`;
