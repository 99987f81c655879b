import type { EntityManager } from 'typeorm';
import type { LeasedFetch, SourceFetch, SourceFetchRepository } from '../../../core/imports/fetch/source-fetch.js';
import type { Id } from '../../../core/shared/ids.js';
import { asJson, assignments, change, inSeconds, insertion, select } from '../database/rows.js';
import { sourceFetchTable } from './source-fetch.table.js';

export const SOURCES_CHANNEL = 'photo_service_sources';

export class TypeormSourceFetchRepository implements SourceFetchRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(itemId: Id): Promise<SourceFetch | null> {
    return this.manager.findOneBy(sourceFetchTable, { customerId: this.customerId, itemId });
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    const [first] = fetches;
    if (first === undefined) return;
    const rows = fetches.map((each) => ({ ...each, customerId: this.customerId }));
    const changes = assignments(sourceFetchTable, first, 'excluded');
    await this.manager.query(
      `${insertion(sourceFetchTable, first)}
       ON CONFLICT (customer_id, item_id) DO UPDATE SET ${changes}, due_at = clock_timestamp(), lease = NULL`,
      [asJson(rows)],
    );
    await select(this.manager, `SELECT pg_notify('${SOURCES_CHANNEL}', '')`);
  }

  async setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean> {
    const { affected } = await this.manager.update(sourceFetchTable, this.held(leased), { validator });
    return (affected ?? 0) > 0;
  }

  /** By the database's clock, which all processes compare, so by hand. */
  async release({ itemId, lease }: LeasedFetch, failures: number, seconds: number): Promise<boolean> {
    const { count } = await change(
      this.manager,
      `UPDATE source_fetches SET failures = $4, due_at = ${inSeconds('$5')}, lease = NULL
       WHERE customer_id = $1 AND item_id = $2 AND lease = $3`,
      [this.customerId, itemId, lease, failures, seconds],
    );
    return count > 0;
  }

  async delete(leased: LeasedFetch): Promise<boolean> {
    const { affected } = await this.manager.delete(sourceFetchTable, this.held(leased));
    return (affected ?? 0) > 0;
  }

  private held({ itemId, lease }: LeasedFetch) {
    return { customerId: this.customerId, itemId, lease };
  }
}
