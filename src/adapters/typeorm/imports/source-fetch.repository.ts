import type { SourceFetch, SourceFetchRepository } from '../../../core/imports/fetch/source-fetch.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, assignments, column, insertion, select, tableOf } from '../database/sql.js';

export const sourceFetchTable = tableOf<SourceFetch>('sourceFetch', 'source_fetches', {
  customerId: column.key,
  itemId: column.key,
  importId: column.bigWhole,
  uploadId: column.bigWhole,
  apiKeyId: column.optionalBigWhole,
  url: column.text,
  host: column.text,
  declaredBytes: column.optionalBigWhole,
  validator: column.optionalText,
});

export class TypeormSourceFetchRepository extends TypeormRepository implements SourceFetchRepository {
  get(itemId: Id): Promise<SourceFetch | null> {
    return this.manager.findOneBy(sourceFetchTable, { customerId: this.customerId, itemId });
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    const [first] = fetches;
    if (first === undefined) return;
    const rows = fetches.map((each) => ({ ...each, customerId: this.customerId }));
    const changes = assignments(sourceFetchTable, first, 'excluded');
    const sql = `${insertion(sourceFetchTable, first)} ON CONFLICT (customer_id, item_id) DO UPDATE SET ${changes}`;
    await select(this.manager, sql, [asJson(rows)]);
  }

  async lock(itemId: Id): Promise<void> {
    const where = { customerId: this.customerId, itemId };
    await this.manager.findOne(sourceFetchTable, { where, lock: { mode: 'pessimistic_write' } });
  }

  async setValidator(itemId: Id, validator: string | null): Promise<void> {
    await this.manager.update(sourceFetchTable, { customerId: this.customerId, itemId }, { validator });
  }

  async delete(itemId: Id): Promise<void> {
    await this.manager.delete(sourceFetchTable, { customerId: this.customerId, itemId });
  }
}
