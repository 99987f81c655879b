import type { DataSource, EntityManager } from 'typeorm';
import type { RowCounts } from '../../../core/customers/customer-directory.js';
import type { Id } from '../../../core/shared/ids.js';
import { quoted, tablesByReference } from '../database/catalogue.js';
import { change, select } from '../database/rows.js';
import { withoutLimits } from '../database/without-limits.js';
import { customerTable } from './customer.table.js';

/** Maximum number of rows per statement, so that it stays well below the statement timeout. */
const BATCH = 1000;
const TOTALS = 'photo_totals';

export function countRows(dataSource: DataSource, id: Id): Promise<RowCounts> {
  return withoutLimits(dataSource, async (query) => {
    const counts: Record<string, number> = {};
    for (const name of await tenantTables(query)) {
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM ${quoted(name)} WHERE customer_id = $1`,
        [id],
      );
      counts[name] = row?.count ?? 0;
    }
    return counts;
  });
}

export async function removeRows(manager: EntityManager, id: Id): Promise<number> {
  for (const name of await tenantTables((sql) => select(manager, sql))) {
    const table = quoted(name);
    const some = `ARRAY(SELECT ctid FROM ${table} WHERE customer_id = $1 LIMIT ${BATCH})`;
    const { count } = await change(manager, `DELETE FROM ${table} WHERE customer_id = $1 AND ctid = ANY (${some})`, [
      id,
    ]);
    if (count > 0) return count;
  }
  return 0;
}

/** Also locked against new rows that refer to it: a transaction that is about to write one waits, and then finds no customer. */
export async function removeCustomer(manager: EntityManager, id: Id): Promise<boolean> {
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
}

/**
 * By their names in the catalogue, so statements on them are by hand. Starting with those that no others refer to. Without the totals,
 * which follow from photos and change as these are deleted.
 */
async function tenantTables(query: (sql: string) => Promise<unknown[]>): Promise<readonly string[]> {
  const tables = await tablesByReference(query);
  return tables.flatMap(({ name, isTenants }) => (isTenants && name !== TOTALS ? [name] : [])).reverse();
}
