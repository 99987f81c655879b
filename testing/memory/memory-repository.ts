import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase, OwnedTable } from './memory-database.js';
import type { LockedKind, LockedRows } from './memory-locked-rows.js';

/** A repository of one customer, in one transaction. */
export abstract class MemoryRepository {
  /** @param held The rows that the transaction holds. */
  constructor(
    protected readonly database: MemoryDatabase,
    protected readonly customerId: Id,
    protected readonly held: LockedRows,
  ) {}
}

interface Identified {
  readonly customerId: Id;
  readonly id: Id;
}

/** A repository of rows that are found, locked, changed and deleted by their ids, and listed in the order of these. */
export abstract class MemoryRowRepository<Row extends Identified, New> extends MemoryRepository {
  protected abstract readonly table: OwnedTable<Row>;
  protected abstract readonly kind: LockedKind;
  /** The values of a new row that the database sets. */
  protected readonly defaults: Partial<Row> = {};

  async get(id: Id): Promise<Row | null> {
    return this.table.rowOf(this.customerId, id);
  }

  async list(): Promise<readonly Row[]> {
    return this.table.rowsOf(this.customerId).sort((a, b) => a.id - b.id);
  }

  async lock(id: Id): Promise<Row | null> {
    this.held.lock(this.kind, [id]);
    return this.get(id);
  }

  async insert(values: New): Promise<Row> {
    const { customerId } = this;
    this.database.requireCustomer(customerId);
    const row = { ...values, ...this.defaults, customerId, id: this.database.next(this.kind) } as unknown as Row;
    this.table.set(row.id, row);
    return row;
  }

  async update(row: Row): Promise<void> {
    this.held.requireLocked(this.kind, row.id);
    if ((await this.get(row.id)) !== null) this.table.set(row.id, { ...row, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    if ((await this.get(id)) !== null) this.table.delete(id);
  }
}
