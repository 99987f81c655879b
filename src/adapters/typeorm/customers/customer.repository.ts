import { LessThan, LessThanOrEqual, MoreThan } from 'typeorm';
import type { Customer } from '../../../core/customers/customer.js';
import type {
  CreationRequest,
  CustomerCreation,
  CustomerDirectory,
  CustomerWindow,
  Erasure,
  RowCondition,
  RowCounts,
} from '../../../core/customers/customer-directory.js';
import type { CustomerRepository } from '../../../core/customers/customer-repository.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { quoted, tablesByReference } from '../database/catalogue.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { change, column, columnName, insert, prepared, select, selectList, tableOf, update } from '../database/sql.js';
import { inTransaction, withoutLimits } from '../database/transaction.js';

export const customerTable = tableOf<Customer>('customer', 'customers', {
  id: column.generatedKey,
  name: column.text,
  status: column.text,
  defaultTimeZone: column.text,
  trashRetentionDays: column.whole,
  storageBytesLimit: column.optionalBigWhole,
  photosLimit: column.optionalBigWhole,
  factorsRequiredFrom: column.optionalInstant,
  settingsIpList: { type: 'text', array: true },
  admitsNewPeople: column.yesOrNo,
  createdAt: column.instant,
  updatedAt: column.instant,
  version: column.whole,
});

/** The accounts that the operator API made for idempotency keys. */
export const creationTable = tableOf<CreationRequest>('customerCreation', 'customer_creations', {
  key: { ...column.text, primary: true },
  fingerprint: column.text,
  createdId: column.optionalBigWhole,
  startedAt: column.instant,
});

type ErasureRow = { readonly erasedId: Id; readonly proof: Erasure; readonly finishedAt: Date };

export const erasureTable = tableOf<ErasureRow>('erasure', 'erasures', {
  erasedId: column.key,
  proof: column.document,
  finishedAt: column.instant,
});

export class TypeormCustomerDirectory extends TypeormStore implements CustomerDirectory {
  find(id: Id): Promise<Customer | null> {
    return this.query((manager) => manager.findOneBy(customerTable, { id }));
  }

  list(): Promise<readonly Customer[]> {
    return this.query((manager) => manager.find(customerTable, { order: { id: 'ASC' } }));
  }

  page({ after, limit: take }: CustomerWindow): Promise<readonly Customer[]> {
    const where = { id: MoreThan(after ?? 0) };
    return this.query((manager) => manager.find(customerTable, { where, order: { id: 'ASC' }, take }));
  }

  transaction<T>(work: (transaction: CustomerCreation) => Promise<T>): Promise<T> {
    return inTransaction(this.dataSource, async (manager) => {
      // Blocks others that create customers, and no others: only they use this table.
      await manager.query('LOCK TABLE customer_creations IN SHARE ROW EXCLUSIVE MODE');
      return work({
        find: (id) => manager.findOneBy(customerTable, { id }),
        any: () => manager.exists(customerTable),
        insert: async (customer) => requireFound((await insert(manager, customerTable, [customer]))[0], 'customer'),
        auditOf: (id) => new TypeormAuditTrail(manager, id),
        findRequest: (key) => manager.findOneBy(creationTable, { key }),
        addRequest: async (request) => {
          await insert(manager, creationTable, [request]);
        },
        forgetRequests: async (before) => {
          await manager.delete(creationTable, { startedAt: LessThan(before) });
        },
      });
    });
  }

  /** By hand, for any table. Indexes by time find customers without reading those that have no such rows. */
  async owning<Row>(
    table: string,
    { after, limit }: CustomerWindow,
    ...anyOf: readonly RowCondition<Row>[]
  ): Promise<readonly Id[]> {
    const values: unknown[] = [after ?? 0, limit];
    const comparisonsOf = ([field, expected]: [string, unknown]) =>
      Object.entries(
        typeof expected === 'object' && expected !== null && !(expected instanceof Date)
          ? expected
          : { equal: expected },
      ).map(([operator, value]) => `${quoted(columnName(field))} ${OPERATORS[operator]} $${values.push(value)}`);
    const conditions = anyOf.map((condition) => Object.entries(condition).flatMap(comparisonsOf).join(' AND '));
    const rows = conditions.length === 0 ? '' : `AND (${conditions.join(' OR ')})`;
    const sql = `SELECT DISTINCT customer_id AS id FROM ${quoted(table)} WHERE customer_id > $1 ${rows} ORDER BY id LIMIT $2`;
    return (await this.select<{ id: Id }>(sql, ...values)).map(({ id }) => id);
  }

  async closingSince(at: Date, { after, limit }: CustomerWindow): Promise<readonly Id[]> {
    const where = { status: 'closing', updatedAt: LessThanOrEqual(at), id: MoreThan(after ?? 0) } as const;
    const closing = await this.query((manager) =>
      manager.find(customerTable, { select: { id: true }, where, order: { id: 'ASC' }, take: limit }),
    );
    return closing.map(({ id }) => id);
  }

  countRows(id: Id): Promise<RowCounts> {
    return withoutLimits(this.dataSource, async (query) => {
      const counts: Record<string, number> = {};
      for (const name of await tenantTables(query)) {
        const sql = `SELECT count(*) AS count FROM ${quoted(name)} WHERE customer_id = $1`;
        counts[name] = (await query<{ count: number }>(sql, [id]))[0]?.count ?? 0;
      }
      return counts;
    });
  }

  removeRows(id: Id): Promise<number> {
    return this.query(async (manager) => {
      for (const name of await tenantTables((sql) => select(manager, sql))) {
        const some = `ARRAY(SELECT ctid FROM ${quoted(name)} WHERE customer_id = $1 LIMIT ${BATCH})`;
        const sql = `DELETE FROM ${quoted(name)} WHERE customer_id = $1 AND ctid = ANY (${some})`;
        const { count } = await change(manager, sql, [id]);
        if (count > 0) return count;
      }
      return 0;
    });
  }

  setRenditionBytes(bytes: ReadonlyMap<Id, number>): Promise<void> {
    const values = [[...bytes.keys()], [...bytes.values()]];
    return inTransaction(this.dataSource, async (manager) => {
      // By hand: the table is only written here, and only sums are read. One count at a time; readers see the one before it.
      await manager.query('LOCK TABLE rendition_totals IN SHARE ROW EXCLUSIVE MODE');
      await change(manager, 'DELETE FROM rendition_totals WHERE customer_id <> ALL ($1::bigint[])', [values[0]]);
      const counted = `unnest($1::bigint[], $2::bigint[]) AS counted (id, bytes) JOIN customers c USING (id)`;
      await change(
        manager,
        `INSERT INTO rendition_totals (customer_id, bytes) SELECT id, bytes FROM ${counted}
         ON CONFLICT (customer_id) DO UPDATE SET bytes = excluded.bytes`,
        values,
      );
    });
  }

  /** Also locked against new rows that refer to it: a transaction that is about to write one waits, and then finds no customer. */
  remove(id: Id): Promise<boolean> {
    return inTransaction(this.dataSource, async (manager) => {
      const customer = await manager.findOne(customerTable, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (customer === null) return true;
      if (customer.status !== 'closing') throw new Error(`Customer ${id} is ${customer.status} and cannot be removed.`);
      for (const name of await tenantTables((sql) => select(manager, sql))) {
        const rows = await select(manager, `SELECT FROM ${quoted(name)} WHERE customer_id = $1 LIMIT 1`, [id]);
        if (rows.length > 0) return false;
      }
      await change(manager, `DELETE FROM ${TOTALS} WHERE customer_id = $1`, [id]);
      await manager.delete(customerTable, { id });
      return true;
    });
  }

  /** By hand, so that one statement decides: a complete proof stays. */
  async recordErasure(erasure: Erasure): Promise<void> {
    const sql = `INSERT INTO erasures AS stored (erased_id, proof, finished_at) VALUES ($1, $2, $3)
      ON CONFLICT (erased_id) DO UPDATE SET proof = excluded.proof, finished_at = excluded.finished_at
      WHERE NOT (stored.proof->>'complete')::boolean`;
    await this.change(sql, erasure.customerId, JSON.stringify(erasure), erasure.finishedAt);
  }

  async findErasure(id: Id): Promise<Erasure | null> {
    const row = await this.query((manager) => manager.findOneBy(erasureTable, { erasedId: id }));
    return row && { ...row.proof, startedAt: new Date(row.proof.startedAt), finishedAt: row.finishedAt };
  }
}

const OPERATORS: Readonly<Record<string, string>> = { equal: '=', until: '<=', before: '<', after: '>' };

/** Part of most requests, so prepared. */
const selectCustomer = prepared(`SELECT ${selectList(customerTable, 'c')} FROM customers c WHERE id = $1`);

export class TypeormCustomerRepository extends TypeormRepository implements CustomerRepository {
  async read(): Promise<Customer> {
    return requireFound(await this.selectFirst<Customer>(selectCustomer), 'customer');
  }

  async lock(): Promise<Customer> {
    // Not against new rows that refer to it.
    const lock = { mode: 'for_no_key_update' } as const;
    const found = await this.manager.findOne(customerTable, { where: { id: this.customerId }, lock });
    return requireFound(found, 'customer');
  }

  update(customer: Customer): Promise<void> {
    return update(this.manager, customerTable, { ...customer, id: this.customerId });
  }
}

/** Maximum number of rows per statement, so that it stays well below the statement timeout. */
const BATCH = 1000;
const TOTALS = 'photo_totals';

/**
 * By their names in the catalogue, so statements on them are by hand. Starting with those that no others refer to. Without totals and stamps,
 * which follow from photos and tags and change as these are deleted; the stamps are deleted with the customer.
 */
async function tenantTables(query: (sql: string) => Promise<unknown[]>): Promise<readonly string[]> {
  const tables = await tablesByReference(query);
  return tables
    .flatMap(({ name, isTenants }) => (isTenants && ![TOTALS, 'tag_stamps'].includes(name) ? [name] : []))
    .reverse();
}
