import type { EntityManager, EntitySchema, FindOptionsOrder, FindOptionsWhere } from 'typeorm';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { columnName, insert, update } from './sql.js';

/** A repository of one customer, on one connection. */
export abstract class TypeormRepository {
  constructor(
    protected readonly manager: EntityManager,
    protected readonly customerId: Id,
  ) {}
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
    return this.manager.findOneBy(this.table, this.own({ id }));
  }

  list(): Promise<readonly Row[]> {
    return this.manager.find(this.table, { where: this.own(), order: this.order });
  }

  lock(id: Id): Promise<Row | null> {
    return this.manager.findOne(this.table, { where: this.own({ id }), lock: { mode: 'for_no_key_update' } });
  }

  async insert(row: New): Promise<Row> {
    const [stored] = await insert(this.manager, this.table, [{ ...row, customerId: this.customerId }]);
    return requireFound(stored, columnName(this.table.options.name));
  }

  async update(row: Row): Promise<void> {
    await update(this.manager, this.table, { ...row, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(this.table, this.own({ id }));
  }

  private own(which: { readonly id?: Id } = {}): FindOptionsWhere<Row> {
    return { customerId: this.customerId, ...which } as FindOptionsWhere<Row>;
  }
}
