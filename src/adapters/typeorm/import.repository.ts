import type { EntityManager } from 'typeorm';
import { type CountedImport, countItems, type Import, type NewImport } from '../../core/imports/import.js';
import type { ImportPhotoStatus } from '../../core/imports/import-photo.js';
import type { ImportRepository } from '../../core/imports/import-repository.js';
import type { Id } from '../../core/shared/ids.js';
import { importTable } from './import.table.js';
import { insert, select, selected, update } from './rows.js';

interface CountedRow extends Import {
  readonly byStatus: Readonly<Partial<Record<ImportPhotoStatus, number>>>;
  readonly totalBytes: number;
}

export class TypeormImportRepository implements ImportRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  find(id: Id): Promise<Import | null> {
    return this.manager.findOneBy(importTable, { customerId: this.customerId, id });
  }

  get(id: Id): Promise<CountedImport | null> {
    return this.counted('i.id = $2', id);
  }

  findOpenByClientRef(clientRef: string): Promise<CountedImport | null> {
    return this.counted(`i.status = 'open' AND i.client_ref = $2`, clientRef);
  }

  countOpen(): Promise<number> {
    return this.manager.countBy(importTable, { customerId: this.customerId, status: 'open' });
  }

  async expired(at: Date, limit: number): Promise<readonly Id[]> {
    const rows = await select<{ id: Id }>(
      this.manager,
      `SELECT id FROM imports WHERE customer_id = $1 AND status = 'open' AND expires_at <= $2
       ORDER BY expires_at, id LIMIT $3`,
      [this.customerId, at, limit],
    );
    return rows.map(({ id }) => id);
  }

  async endingAfter(at: Date, window: { readonly after: Id | null; readonly limit: number }): Promise<readonly Id[]> {
    const rows = await select<{ id: Id }>(
      this.manager,
      `SELECT id FROM imports WHERE customer_id = $1 AND status = 'open' AND expires_at > $2 AND id > $3
       ORDER BY id LIMIT $4`,
      [this.customerId, at, window.after ?? 0, window.limit],
    );
    return rows.map(({ id }) => id);
  }

  async lock(id: Id): Promise<Import | null> {
    const [row] = await select<Import>(
      this.manager,
      `SELECT ${selected(importTable, 'i')} FROM imports i WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE`,
      [this.customerId, id],
    );
    return row ?? null;
  }

  async insert(subject: NewImport): Promise<Import | null> {
    const row = { ...subject, customerId: this.customerId };
    const [stored] = await insert(
      this.manager,
      importTable,
      [row],
      `ON CONFLICT (customer_id, client_ref) WHERE status = 'open' AND client_ref IS NOT NULL DO NOTHING`,
    );
    return stored ?? null;
  }

  async update(subject: Import): Promise<void> {
    await update(this.manager, importTable, { ...subject, customerId: this.customerId });
  }

  private async counted(condition: string, value: Id | string): Promise<CountedImport | null> {
    const [row] = await select<CountedRow>(
      this.manager,
      `SELECT ${selected(importTable, 'i')}, items."byStatus", items."totalBytes"
       FROM imports i CROSS JOIN LATERAL (
         SELECT coalesce(json_object_agg(status, count), '{}') AS "byStatus", coalesce(sum(bytes), 0)::bigint AS "totalBytes"
         FROM (
           SELECT status, count(*) AS count, sum(size_bytes) AS bytes FROM import_photos
           WHERE customer_id = $1 AND import_id = i.id GROUP BY status
         ) each_status
       ) items
       WHERE i.customer_id = $1 AND ${condition}`,
      [this.customerId, value],
    );
    if (row === undefined) return null;
    const { byStatus, totalBytes, ...subject } = row;
    const counts = countItems(new Map(Object.entries(byStatus) as [ImportPhotoStatus, number][]));
    return { ...subject, counts, totalBytes };
  }
}
