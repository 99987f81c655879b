import { type FindOptionsOrder, type FindOptionsWhere, LessThanOrEqual, MoreThan } from 'typeorm';
import {
  type CountedImport,
  countItems,
  type Import,
  type NewImport,
  type OldEnough,
} from '../../../core/imports/import.js';
import type { ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import type { ImportQuery, ImportRepository } from '../../../core/imports/import-repository.js';
import type { Id } from '../../../core/shared/ids.js';
import { droppedUploadTable } from '../blobs/blob-owners.repository.js';
import { TypeormRepository } from '../database/repository.js';
import { column, prepared, selectList, tableOf, update } from '../database/sql.js';
import { importPhotoTable } from './import-photo.repository.js';

/** An import with what is not shown of it: whether its items are gone; and whether it is gone itself, but for the id that photos refer to. */
export interface ImportRow extends Import {
  readonly itemsForgotten: boolean;
  readonly forgotten: boolean;
}

export const importTable = tableOf<ImportRow>('import', 'imports', {
  customerId: column.key,
  id: column.generatedKey,
  status: column.text,
  name: column.optionalText,
  source: column.optionalText,
  clientRef: column.optionalText,
  duplicatePolicy: column.text,
  restoreTrashed: column.yesOrNo,
  tagDuplicates: column.yesOrNo,
  keywordsAsTags: column.yesOrNo,
  dateFromFilename: column.yesOrNo,
  defaultTimeZone: column.optionalText,
  tagIds: { type: 'bigint', array: true },
  apiKeyId: column.optionalBigWhole,
  shareId: column.optionalBigWhole,
  createdAt: column.instant,
  updatedAt: column.instant,
  expiresAt: column.optionalInstant,
  finalizedAt: column.optionalInstant,
  completedAt: column.optionalInstant,
  version: column.whole,
  itemsForgotten: { ...column.yesOrNo, select: false },
  forgotten: { ...column.yesOrNo, select: false },
});

/** The condition of `OldEnough`, with its two times given as SQL. The indexes that it needs have its columns in this order. */
export function oldEnoughImports(itemsOf: string, imports: string): string {
  return `(NOT items_forgotten AND completed_at <= ${itemsOf} OR items_forgotten AND completed_at <= ${imports})`;
}

/** The row that photos refer to: it contains only the import's id. */
const FORGOTTEN = {
  forgotten: true,
  name: null,
  source: null,
  clientRef: null,
  defaultTimeZone: null,
  tagIds: [] as Id[],
  apiKeyId: null,
  expiresAt: null,
  finalizedAt: null,
  completedAt: null,
} as const;

/** Part of each request about an import, so prepared. */
const selectImport = prepared(
  `SELECT ${selectList(importTable, 'i')} FROM imports i WHERE customer_id = $1 AND id = $2 AND NOT forgotten`,
);
const lockImport = prepared(`${selectImport.text} FOR NO KEY UPDATE`);
const lockImportShared = prepared(`${selectImport.text} FOR SHARE`);

export class TypeormImportRepository extends TypeormRepository implements ImportRepository {
  find(id: Id): Promise<Import | null> {
    return this.selectFirst<Import>(selectImport, id);
  }

  get(id: Id): Promise<CountedImport | null> {
    return this.counted('i.id = $2', [id]).then(([found = null]) => found);
  }

  findOpenByClientRef(clientRef: string): Promise<CountedImport | null> {
    return this.counted(`i.status = 'open' AND i.client_ref = $2`, [clientRef]).then(([found = null]) => found);
  }

  list({ statuses, window: { after, limit } }: ImportQuery): Promise<readonly CountedImport[]> {
    const those = statuses === undefined ? '$3::text[] IS NULL' : 'i.status = ANY ($3)';
    const page = `i.id < $2 AND ${those} ORDER BY i.id DESC LIMIT $4`;
    return this.counted(page, [after?.id ?? Number.MAX_SAFE_INTEGER, statuses ?? null, limit]);
  }

  countOpen(): Promise<number> {
    return this.manager.countBy(importTable, { customerId: this.customerId, status: 'open' });
  }

  expired(at: Date, limit: number): Promise<readonly Id[]> {
    return this.open({ expiresAt: LessThanOrEqual(at) }, { expiresAt: 'ASC', id: 'ASC' }, limit);
  }

  endingAfter(at: Date, window: { readonly after: Id | null; readonly limit: number }): Promise<readonly Id[]> {
    return this.open({ expiresAt: MoreThan(at), id: MoreThan(window.after ?? 0) }, { id: 'ASC' }, window.limit);
  }

  /** By hand, because the two indexes are found by exactly this condition. */
  async toForget({ itemsOf, imports }: OldEnough, limit: number): Promise<readonly Id[]> {
    const rows = await this.select<{ id: Id }>(
      `SELECT id FROM imports WHERE customer_id = $1 AND ${oldEnoughImports('$2', '$3')}
       ORDER BY completed_at, id LIMIT $4`,
      itemsOf,
      imports,
      limit,
    );
    return rows.map(({ id }) => id);
  }

  lock(id: Id): Promise<Import | null> {
    return this.selectFirst<Import>(lockImport, id);
  }

  share(id: Id): Promise<Import | null> {
    return this.selectFirst<Import>(lockImportShared, id);
  }

  insert(subject: NewImport): Promise<Import | null> {
    const onConflict = `ON CONFLICT (customer_id, client_ref) WHERE status = 'open' AND client_ref IS NOT NULL DO NOTHING`;
    return this.insertRow(importTable, subject, onConflict);
  }

  async update(subject: Import): Promise<void> {
    await update(this.manager, importTable, { ...subject, customerId: this.customerId });
  }

  async forgetItems(id: Id, limit: number): Promise<boolean> {
    const forgotten = await this.selectFirst<{ count: number }>(
      `WITH gone AS (
         DELETE FROM import_photos WHERE customer_id = $1 AND id IN (
           SELECT id FROM import_photos WHERE customer_id = $1 AND import_id = $2 ORDER BY status, id LIMIT $3
         ) RETURNING status, size_bytes
       ), kept AS (
         INSERT INTO forgotten_items AS before (customer_id, import_id, status, items, bytes)
         SELECT $1, $2, status, count(*), coalesce(sum(size_bytes), 0) FROM gone GROUP BY status
         ON CONFLICT (customer_id, import_id, status)
         DO UPDATE SET items = before.items + excluded.items, bytes = before.bytes + excluded.bytes
       )
       SELECT count(*) AS count FROM gone`,
      id,
      limit,
    );
    if ((forgotten?.count ?? 0) >= limit) return false;
    const those = { customerId: this.customerId, id, itemsForgotten: false };
    await this.manager.update(importTable, those, { itemsForgotten: true });
    return true;
  }

  async forget(id: Id): Promise<void> {
    // By hand, so that no photo can refer to it between the two conditions.
    const named = 'SELECT FROM photos WHERE customer_id = $1 AND import_id = $2';
    const unnamed = `DELETE FROM imports WHERE customer_id = $1 AND id = $2 AND NOT EXISTS (${named})`;
    await this.change(unnamed, id);
    const those = { customerId: this.customerId, importId: id };
    await this.manager.delete(importPhotoTable, those);
    await this.manager.delete(droppedUploadTable, those);
    // By hand: only statements read and write that table.
    const counts = 'DELETE FROM forgotten_items WHERE customer_id = $1 AND import_id = $2';
    await this.change(counts, id);
    await this.manager.update(importTable, { customerId: this.customerId, id }, FORGOTTEN);
  }

  private async open(
    which: FindOptionsWhere<ImportRow>,
    order: FindOptionsOrder<ImportRow>,
    take: number,
  ): Promise<readonly Id[]> {
    const where = { ...which, customerId: this.customerId, status: 'open' } as const;
    const rows = await this.manager.find(importTable, { select: { id: true }, where, order, take });
    return rows.map(({ id }) => id);
  }

  /** The values of `condition` start at $2. */
  private async counted(condition: string, values: readonly unknown[]): Promise<readonly CountedImport[]> {
    const rows = await this.select<
      Import & { byStatus: Partial<Record<ImportPhotoStatus, number>>; totalBytes: number }
    >(
      `SELECT ${selectList(importTable, 'i')}, items."byStatus", items."totalBytes"
       FROM imports i CROSS JOIN LATERAL (
         SELECT coalesce(json_object_agg(status, count), '{}') AS "byStatus", coalesce(sum(bytes), 0)::bigint AS "totalBytes"
         FROM (
           SELECT status, sum(items) AS count, sum(bytes) AS bytes FROM (
             SELECT status, count(*) AS items, sum(size_bytes) AS bytes FROM import_photos
             WHERE customer_id = $1 AND import_id = i.id GROUP BY status
             UNION ALL
             SELECT status, items, bytes FROM forgotten_items WHERE customer_id = $1 AND import_id = i.id
           ) there_and_gone GROUP BY status
         ) each_status
       ) items
       WHERE i.customer_id = $1 AND NOT i.forgotten AND ${condition}`,
      ...values,
    );
    return rows.map(({ byStatus, totalBytes, ...subject }) => {
      const counts = countItems(new Map(Object.entries(byStatus) as [ImportPhotoStatus, number][]));
      return { ...subject, counts, totalBytes };
    });
  }
}
