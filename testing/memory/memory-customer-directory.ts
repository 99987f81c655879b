import type { Customer } from '../../src/core/customers/customer.js';
import type {
  CustomerCreation,
  CustomerDirectory,
  CustomerWindow,
  Erasure,
  RowCondition,
  RowCounts,
} from '../../src/core/customers/customer-directory.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { countRows, removeCustomer, removeRows } from './memory-customer-rows.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';

export class MemoryCustomerDirectory implements CustomerDirectory {
  constructor(private readonly database: MemoryDatabase) {}

  page({ after, limit }: CustomerWindow): Promise<readonly Customer[]> {
    const later = ({ id }: Customer) => id > (after ?? 0);
    return this.database.transaction(async () =>
      this.database.customers
        .where(later)
        .sort((a, b) => a.id - b.id)
        .slice(0, limit)
        .map(copyOf),
    );
  }

  transaction<T>(work: (transaction: CustomerCreation) => Promise<T>): Promise<T> {
    const { customers, customerCreations } = this.database;
    return this.database.transaction(() =>
      work({
        find: async (id) => copyOf(customers.get(id) ?? null),
        any: async () => customers.all().length > 0,
        insert: async (customer) => {
          const row: Customer = { ...customer, id: this.database.next('customer') };
          customers.set(row.id, row);
          return copyOf(row);
        },
        auditOf: (id) => new MemoryAuditTrail(this.database, id),
        findRequest: async (key) => copyOf(customerCreations.get(key) ?? null),
        addRequest: async (request) => customerCreations.set(request.key, request),
        forgetRequests: async (before) => {
          customerCreations.deleteWhere(({ startedAt }) => startedAt < before);
        },
      }),
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

  owning<Row>(table: string, window: CustomerWindow, ...anyOf: readonly RowCondition<Row>[]): Promise<readonly Id[]> {
    return this.database.transaction(async () => {
      const isMeant = (row: object) => anyOf.length === 0 || anyOf.some((condition) => meets(row, condition));
      return ownersOf(this.rowsOf(table).filter(isMeant), window);
    });
  }

  /** The rows of a table as a database stores them: in imports, also whether their items are gone. */
  private rowsOf(table: string): { readonly customerId: Id }[] {
    const rows = this.database.table(table).entries();
    if (table !== 'imports') return rows.map(([, row]) => row);
    const { forgottenItems } = this.database;
    return rows.map(([id, row]) => ({ ...row, itemsForgotten: forgottenItems.get(id)?.all ?? false }));
  }

  setRenditionBytes(bytes: ReadonlyMap<Id, number>): Promise<void> {
    return this.database.transaction(async () => {
      const { customers, renditionTotals } = this.database;
      renditionTotals.deleteWhere(() => true);
      for (const [customerId, each] of bytes) {
        if (customers.get(customerId)) renditionTotals.set(customerId, { customerId, bytes: each });
      }
    });
  }

  closingSince(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const isClosing = ({ status, updatedAt }: Customer) => status === 'closing' && updatedAt <= at;
    return this.database.transaction(async () => {
      const closing = this.database.customers.where(isClosing);
      return ownersOf(
        closing.map(({ id }) => ({ customerId: id })),
        window,
      );
    });
  }

  countRows(id: Id): Promise<RowCounts> {
    return this.database.transaction(async () => countRows(this.database, id));
  }

  removeRows(id: Id): Promise<number> {
    return this.database.transaction(async () => removeRows(this.database, id));
  }

  remove(id: Id): Promise<boolean> {
    return this.database.transaction(async () => removeCustomer(this.database, id));
  }

  recordErasure(erasure: Erasure): Promise<void> {
    return this.database.transaction(async () => {
      const { erasures } = this.database;
      if (!erasures.get(erasure.customerId)?.complete) erasures.set(erasure.customerId, erasure);
    });
  }

  findErasure(id: Id): Promise<Erasure | null> {
    return this.database.transaction(async () => copyOf(this.database.erasures.get(id) ?? null));
  }
}

/** Whether a row meets a condition. A value that is not there lies in no period, as in a database. */
function meets(row: object, condition: object): boolean {
  const values = row as Readonly<Record<string, unknown>>;
  return Object.entries(condition).every(([field, expected]) => {
    const value = values[field];
    if (typeof expected !== 'object') return value === expected;
    if (!(value instanceof Date)) return false;
    const { until, before, after } = expected as { until?: Date; before?: Date; after?: Date };
    return (!until || value <= until) && (!before || value < before) && (!after || value > after);
  });
}

function ownersOf(rows: readonly { readonly customerId: Id }[], { after, limit }: CustomerWindow): readonly Id[] {
  const owners = new Set(rows.map(({ customerId }) => customerId));
  return [...owners]
    .filter((id) => id > (after ?? 0))
    .sort((a, b) => a - b)
    .slice(0, limit);
}
