import { In, MoreThan } from 'typeorm';
import type { ImportPhoto, ImportPhotoStatus } from '../../../core/imports/import-photo.js';
import type { ImportPhotoRepository, ItemQuery } from '../../../core/imports/import-repository.js';
import { clientFields, photoFields, valuesOf } from '../../../core/media/photo-fields.js';
import type { ItemError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, column, insertion, prepared, select, selectList, tableOf, updateMany } from '../database/sql.js';

/** The column of a field that a client declares, by its kind. */
const columnOf = {
  text: column.optionalText,
  texts: column.optionalDocument,
  whole: column.optionalWhole,
  flag: { ...column.yesOrNo, nullable: true },
  position: column.optionalDocument,
} as const;

export const importPhotoTable = tableOf<ImportPhoto>('importPhoto', 'import_photos', {
  customerId: column.key,
  id: column.key,
  importId: column.bigWhole,
  clientRef: column.optionalText,
  status: column.text,
  photoId: column.optionalBigWhole,
  duplicateOfItemId: column.optionalBigWhole,
  restored: column.yesOrNo,
  resolved: column.yesOrNo,
  filename: column.text,
  sizeBytes: column.optionalBigWhole,
  sha256: column.optionalText,
  contentType: column.optionalText,
  width: column.optionalWhole,
  height: column.optionalWhole,
  uploadId: column.bigWhole,
  blobName: column.text,
  facts: column.optionalDocument,
  error: column.optionalDocument,
  ...valuesOf(clientFields, (name) => columnOf[photoFields[name].kind]),
  takenAt: column.optionalText,
  takenAtLocal: column.optionalText,
  timeZone: column.optionalText,
  metadata: column.document,
  tagIds: { type: 'bigint', array: true },
  createdAt: column.instant,
  updatedAt: column.instant,
});

const selectItems = `SELECT ${selectList(importPhotoTable, 'p')} FROM import_photos p WHERE customer_id = $1`;

/** Part of each upload and inspection, so prepared. */
const selectItem = prepared(`${selectItems} AND id = $2 AND import_id = $3`);
const lockItem = prepared(`${selectItem.text} FOR NO KEY UPDATE`);

/** Found by their ids; the import, which may have thousands more, is only compared. */
const selectById = prepared(`${selectItems} AND import_id + 0 = $2 AND id = ANY($3::bigint[]) ORDER BY id`);
const lockById = prepared(`${selectById.text} FOR NO KEY UPDATE`);
const selectByClientRef = prepared(`${selectItems} AND import_id = $2 AND client_ref = ANY($3::text[]) ORDER BY id`);
const selectBySha256 = prepared(
  `${selectItems} AND import_id = $2 AND sha256 = ANY($3::text[]) AND status <> 'cancelled' ORDER BY id`,
);

/** Items `item` of an import, locked by id ascending as everywhere: otherwise two transactions that change many could deadlock. */
const heldInOrder = (which: string) => `WITH held AS MATERIALIZED (
    SELECT item.id FROM import_photos item WHERE item.customer_id = $1 AND item.import_id = $2 AND ${which}
    ORDER BY item.id FOR NO KEY UPDATE
  )`;

export class TypeormImportPhotoRepository extends TypeormRepository implements ImportPhotoRepository {
  get(importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.selectFirst<ImportPhoto>(selectItem, id, importId);
  }

  list({ importId, statuses, window }: ItemQuery): Promise<readonly ImportPhoto[]> {
    return this.manager.find(importPhotoTable, {
      where: {
        customerId: this.customerId,
        importId,
        ...(statuses && { status: In([...statuses]) }),
        ...(window.after && { id: MoreThan(window.after.id) }),
      },
      order: { id: 'ASC' },
      take: window.limit,
    });
  }

  getMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]> {
    return this.select<ImportPhoto>(selectById, importId, ids);
  }

  findByClientRefs(importId: Id, clientRefs: readonly string[]): Promise<readonly ImportPhoto[]> {
    return this.select<ImportPhoto>(selectByClientRef, importId, clientRefs);
  }

  findBySha256(importId: Id, sha256: readonly string[]): Promise<readonly ImportPhoto[]> {
    return this.select<ImportPhoto>(selectBySha256, importId, sha256);
  }

  count(importId: Id): Promise<number> {
    return this.manager.countBy(importPhotoTable, { customerId: this.customerId, importId });
  }

  countIn(importId: Id, statuses: readonly ImportPhotoStatus[]): Promise<number> {
    const where = { customerId: this.customerId, importId, status: In([...statuses]) };
    return this.manager.countBy(importPhotoTable, where);
  }

  /** By hand: the `maximum` of TypeORM is for numbers. */
  async lastChange(importId: Id): Promise<Date | null> {
    const row = await this.selectFirst<{ at: Date | null }>(
      'SELECT max(updated_at) AS at FROM import_photos WHERE customer_id = $1 AND import_id = $2',
      importId,
    );
    return row?.at ?? null;
  }

  lock(importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.selectFirst<ImportPhoto>(lockItem, id, importId);
  }

  lockMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]> {
    return this.select<ImportPhoto>(lockById, importId, ids);
  }

  async allocateIds(count: number): Promise<readonly Id[]> {
    const rows = await select<{ id: Id }>(
      this.manager,
      `SELECT nextval('photo_id_seq') AS id FROM generate_series(1, $1::integer)`,
      [count],
    );
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  }

  async insert(items: readonly ImportPhoto[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const rows = items.map((item) => ({ ...item, customerId: this.customerId }));
    await this.manager.query(insertion(importPhotoTable, first), [asJson(rows)]);
  }

  async update(...items: readonly ImportPhoto[]): Promise<void> {
    const rows = items.map((item) => ({ ...item, customerId: this.customerId }));
    await updateMany(this.manager, importPhotoTable, this.customerId, rows);
  }

  async failWaiting(importId: Id, error: ItemError, ofDuplicates: ItemError, at: Date): Promise<void> {
    const fail = (what: ItemError, which: string) =>
      this.manager.query(
        `${heldInOrder(which)}
         UPDATE import_photos item
         SET status = 'failed', error = $3::json, facts = NULL, photo_id = NULL, updated_at = $4
         FROM held WHERE item.customer_id = $1 AND item.id = held.id`,
        [this.customerId, importId, JSON.stringify(what), at],
      );
    await fail(error, `item.status = 'awaiting_upload'`);
    await fail(
      ofDuplicates,
      `item.status = 'duplicate' AND item.duplicate_of_item_id IN (
         SELECT id FROM import_photos WHERE customer_id = $1 AND import_id = $2 AND status = 'failed')`,
    );
  }

  async cancelAll(importId: Id, at: Date): Promise<void> {
    await this.manager.query(
      `${heldInOrder(`item.status NOT IN ('imported', 'cancelled')`)}
       UPDATE import_photos item SET status = 'cancelled', updated_at = $3
       FROM held WHERE item.customer_id = $1 AND item.id = held.id`,
      [this.customerId, importId, at],
    );
  }

  withBytes(after: Id | null, limit: number): Promise<readonly ImportPhoto[]> {
    const where = {
      customerId: this.customerId,
      id: MoreThan(after ?? 0),
      status: In(['processing', 'ready'] as const),
    };
    return this.manager.find(importPhotoTable, { where, order: { id: 'ASC' }, take: limit });
  }
}
