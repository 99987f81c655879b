import type { EntityManager } from 'typeorm';
import type { LeasedFetch, SourceFetch } from '../../../core/imports/source-fetch.js';
import type { SourceFetchRepository } from '../../../core/imports/source-fetch-repository.js';
import type { Id } from '../../../core/shared/ids.js';
import { asJson, assignments, change, insertion, select } from '../database/rows.js';
import { sourceFetchTable } from './source-fetch.table.js';

export const SOURCES_CHANNEL = 'photo_service_sources';

const held = 'customer_id = $1 AND item_id = $2 AND lease = $3';

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
    const changes = assignments(sourceFetchTable, first).replaceAll('given.', 'excluded.');
    await this.manager.query(
      `${insertion(sourceFetchTable, first)}
       ON CONFLICT (customer_id, item_id) DO UPDATE SET ${changes}, due_at = clock_timestamp(), lease = NULL`,
      [asJson(rows)],
    );
    await select(this.manager, `SELECT pg_notify('${SOURCES_CHANNEL}', '')`);
  }

  setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean> {
    return this.change(leased, `UPDATE source_fetches SET validator = $4 WHERE ${held}`, validator);
  }

  release(leased: LeasedFetch, failures: number, seconds: number): Promise<boolean> {
    const later = 'clock_timestamp() + make_interval(secs => $5)';
    const sql = `UPDATE source_fetches SET failures = $4, due_at = ${later}, lease = NULL WHERE ${held}`;
    return this.change(leased, sql, failures, seconds);
  }

  delete(leased: LeasedFetch): Promise<boolean> {
    return this.change(leased, `DELETE FROM source_fetches WHERE ${held}`);
  }

  private async change({ itemId, lease }: LeasedFetch, sql: string, ...values: readonly unknown[]): Promise<boolean> {
    return (await change(this.manager, sql, [this.customerId, itemId, lease, ...values])).count > 0;
  }
}
