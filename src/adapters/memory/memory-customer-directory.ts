import type { Customer, NewCustomer } from '../../core/customers/customer.js';
import type { CustomerDirectory } from '../../core/customers/customer-directory.js';
import type { Id } from '../../core/shared/ids.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';

const TRASH_RETENTION_DAYS = 30;

export class MemoryCustomerDirectory implements CustomerDirectory {
  constructor(private readonly database: MemoryDatabase) {}

  create(customer: NewCustomer): Promise<Customer> {
    return this.database.transaction(async () => this.add(customer));
  }

  createFirst(customer: NewCustomer): Promise<Customer | null> {
    return this.database.transaction(async () =>
      this.database.customers.all().length > 0 ? null : this.add(customer),
    );
  }

  find(id: Id): Promise<Customer | null> {
    return this.database.transaction(async () => copyOf(this.database.customers.get(id) ?? null));
  }

  list(): Promise<readonly Customer[]> {
    return this.database.transaction(async () =>
      this.database.customers
        .all()
        .map(copyOf)
        .sort((a, b) => a.id - b.id),
    );
  }

  private add(customer: NewCustomer): Customer {
    const row: Customer = {
      ...customer,
      id: this.database.next('customer'),
      status: 'active',
      trashRetentionDays: TRASH_RETENTION_DAYS,
      updatedAt: customer.createdAt,
      version: 1,
    };
    this.database.customers.set(row.id, row);
    return row;
  }
}
