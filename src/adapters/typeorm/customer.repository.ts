import type { DataSource, EntityManager } from 'typeorm';
import type { Customer, CustomerUsage, NewCustomer } from '../../core/customers/customer.js';
import type { CustomerDirectory } from '../../core/customers/customer-directory.js';
import { found } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { customerTable } from './customer.table.js';
import { insert, select, selected } from './rows.js';
import { inTransaction, withoutTransaction } from './transaction.js';

export class TypeormCustomerDirectory implements CustomerDirectory {
  constructor(private readonly dataSource: DataSource) {}

  create(customer: NewCustomer): Promise<Customer> {
    return withoutTransaction(this.dataSource, (manager) => add(manager, customer));
  }

  find(id: Id): Promise<Customer | null> {
    return withoutTransaction(this.dataSource, (manager) => manager.findOneBy(customerTable, { id }));
  }

  list(): Promise<readonly Customer[]> {
    return withoutTransaction(this.dataSource, (manager) => manager.find(customerTable, { order: { id: 'ASC' } }));
  }

  createFirst(customer: NewCustomer): Promise<Customer | null> {
    return inTransaction(this.dataSource, async (manager) => {
      // Whoever else would create one waits here; whoever reads does not.
      await manager.query('LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE');
      if (await manager.exists(customerTable)) return null;
      return add(manager, customer);
    });
  }
}

async function add(manager: EntityManager, customer: NewCustomer): Promise<Customer> {
  const [stored] = await insert(manager, customerTable, [{ ...customer, updatedAt: customer.createdAt }]);
  return found(stored, 'customer');
}

/** Errors: `not_found`. */
export async function readCustomer(manager: EntityManager, id: Id): Promise<Customer> {
  return found(await manager.findOneBy(customerTable, { id }), 'customer');
}

/**
 * Held against others who lock it, not against new rows that refer to it. Errors: `not_found`.
 */
export async function lockCustomer(manager: EntityManager, id: Id): Promise<Customer> {
  const [customer] = await select<Customer>(
    manager,
    `SELECT ${selected(customerTable, 'c')} FROM customers c WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  return found(customer, 'customer');
}

export async function readUsage(manager: EntityManager, id: Id): Promise<CustomerUsage> {
  const [usage] = await select<CustomerUsage>(
    manager,
    `SELECT
       count(*) FILTER (WHERE NOT trashed) AS photos,
       count(*) FILTER (WHERE trashed) AS "trashedPhotos",
       coalesce(sum(size_bytes) FILTER (WHERE NOT trashed), 0)::bigint AS "storageBytes",
       coalesce(sum(size_bytes) FILTER (WHERE trashed), 0)::bigint AS "trashedBytes",
       (SELECT count(*) FROM tags WHERE customer_id = $1) AS tags,
       (SELECT count(*) FROM imports WHERE customer_id = $1 AND status = 'open') AS "openImports"
     FROM photos WHERE customer_id = $1`,
    [id],
  );
  return found(usage, 'customer');
}
