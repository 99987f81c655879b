import type { DataSource, EntityManager, EntitySchema, FindOptionsOrder, FindOptionsWhere } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { readBatcher } from '../../shared-work.js';
import { anyOf, change, columnName, insert, prepared, select, selectList, update } from './sql.js';
import { type Statement, withoutTransaction } from './transaction.js';

/** A repository of one customer, on one connection. */
export abstract class TypeormRepository {
  constructor(
    protected readonly manager: EntityManager,
    protected readonly customerId: Id,
  ) {}

  /** The rows of a statement whose `$1` is the customer. */
  protected select<T>(statement: Statement | string, ...values: readonly unknown[]): Promise<T[]> {
    return select<T>(this.manager, statement, [this.customerId, ...values]);
  }

  /** The only row of such a statement, or its first. */
  protected async selectFirst<T>(statement: Statement | string, ...values: readonly unknown[]): Promise<T | null> {
    return (await this.select<T>(statement, ...values))[0] ?? null;
  }

  /** Returns the number of rows that such a statement found or changed. */
  protected async change(statement: Statement | string, ...values: readonly unknown[]): Promise<number> {
    return (await change(this.manager, statement, [this.customerId, ...values])).count;
  }

  /** The rows of the customer that are so. */
  protected findRows<T extends object>(
    table: EntitySchema<T>,
    which: FindOptionsWhere<T>,
    order: FindOptionsOrder<T>,
  ): Promise<T[]> {
    return this.manager.find(table, { where: { ...which, customerId: this.customerId }, order });
  }

  /** Stores a row of the customer. Null when `onConflict` left it out. */
  protected async insertRow<T>(table: EntitySchema<T>, row: Partial<T>, onConflict = ''): Promise<T | null> {
    return (await insert(this.manager, table, [{ ...row, customerId: this.customerId }], onConflict))[0] ?? null;
  }

  /** Whether there was such a row of the customer. */
  protected async deleteRow<T extends object>(table: EntitySchema<T>, which: FindOptionsWhere<T>): Promise<boolean> {
    return (await this.manager.delete(table, { ...which, customerId: this.customerId })).affected === 1;
  }
}

/** A store of all customers, whose statements each get a connection of their own. Errors: `service_unavailable`. */
export abstract class TypeormStore {
  constructor(protected readonly dataSource: DataSource) {}

  protected query<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return withoutTransaction(this.dataSource, work);
  }

  protected select<T>(statement: Statement | string, ...values: readonly unknown[]): Promise<T[]> {
    return this.query((manager) => select<T>(manager, statement, values));
  }

  /**
   * Finds rows `k`, as `name`, with the status of their customer, by a property that tells them apart. Nothing is cached: once a row is deleted,
   * no later call finds it.
   * @param more What the condition goes on with.
   */
  protected finder<Row extends object, Property extends keyof Row & string, Name extends string>(
    table: EntitySchema<Row>,
    property: Property,
    name: Name,
    more = '',
  ) {
    const { tableName, columns } = table.options;
    const statement = prepared(
      `SELECT ${selectList(table, 'k')}, c.status AS "customerStatus" FROM ${tableName} k JOIN customers c ON c.id = k.customer_id
       WHERE k.${columnName(property)} = ${anyOf(`$1::${columns[property]?.type}[]`)}${more}`,
    );
    type Known = { readonly [_ in Name]: Row } & { readonly customerStatus: CustomerStatus };
    return readBatcher<null, Row[Property], Known>(async (_, values) => {
      const rows = await this.select<Row & { customerStatus: CustomerStatus }>(statement, values);
      const known = rows.map(
        ({ customerStatus, ...row }) => ({ [name]: row as unknown as Row, customerStatus }) as Known,
      );
      return new Map(known.map((each) => [each[name][property], each]));
    });
  }

  /** Returns the number of rows that were found or changed. */
  protected change(statement: Statement | string, ...values: readonly unknown[]): Promise<number> {
    return this.query(async (manager) => (await change(manager, statement, values)).count);
  }
}

interface Identified {
  readonly customerId: Id;
  readonly id: Id;
}

/** A repository of rows that are found, locked, changed and deleted by their ids, and listed in one order. */
export abstract class TypeormRowRepository<Row extends Identified, New extends Partial<Row>> extends TypeormRepository {
  protected abstract readonly table: EntitySchema<Row>;
  protected abstract readonly order: FindOptionsOrder<Row>;

  get(id: Id): Promise<Row | null> {
    return this.manager.findOneBy(this.table, this.own(id));
  }

  list(): Promise<readonly Row[]> {
    return this.findRows(this.table, {}, this.order);
  }

  lock(id: Id): Promise<Row | null> {
    return this.manager.findOne(this.table, { where: this.own(id), lock: { mode: 'for_no_key_update' } });
  }

  async insert(row: New): Promise<Row> {
    return requireFound(await this.insertRow(this.table, row), columnName(this.table.options.name));
  }

  async update(row: Row): Promise<void> {
    await update(this.manager, this.table, { ...row, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(this.table, this.own(id));
  }

  private own(id: Id): FindOptionsWhere<Row> {
    return { customerId: this.customerId, id } as FindOptionsWhere<Row>;
  }
}
