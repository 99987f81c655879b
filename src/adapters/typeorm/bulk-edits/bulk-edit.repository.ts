import { type FindManyOptions, type FindOptionsWhere, In, LessThan, MoreThan } from 'typeorm';
import type { BulkChange, BulkEdit, NewBulkEdit } from '../../../core/bulk-edits/bulk-edit.js';
import type { BulkEditRepository } from '../../../core/bulk-edits/bulk-edit-repository.js';
import type { PhotoFilters } from '../../../core/photos/photo-query.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, column, insert, insertion, tableOf, update } from '../database/sql.js';

interface BulkEditRow extends BulkEdit {
  /** The photos that were chosen one by one, ascending. Never read as a whole. */
  readonly photoIds: readonly Id[];
}

export const bulkEditTable = tableOf<BulkEditRow>('bulkEdit', 'bulk_edits', {
  customerId: column.key,
  id: column.generatedKey,
  action: column.document,
  filters: column.optionalDocument,
  photoIds: { type: 'bigint', array: true, select: false },
  total: column.whole,
  state: column.text,
  lastPhotoId: column.optionalBigWhole,
  changed: column.whole,
  unchanged: column.whole,
  failures: column.document,
  undone: column.whole,
  kept: column.whole,
  actor: column.document,
  undoneBy: column.optionalDocument,
  createdAt: column.instant,
  endedAt: column.optionalInstant,
});

type BulkChangeRow = BulkChange & { readonly customerId: Id; readonly bulkEditId: Id };

export const bulkChangeTable = tableOf<BulkChangeRow>('bulkChange', 'bulk_edit_changes', {
  customerId: column.key,
  bulkEditId: column.key,
  photoId: column.key,
  before: column.document,
  after: column.document,
});

export class TypeormBulkEditRepository extends TypeormRepository implements BulkEditRepository {
  async get(id: Id): Promise<BulkEdit | null> {
    const row = await this.manager.findOneBy(bulkEditTable, { customerId: this.customerId, id });
    return row && editOf(row);
  }

  list(before: Id | null, limit: number): Promise<readonly BulkEdit[]> {
    return this.find(before === null ? {} : { id: LessThan(before) }, { order: { id: 'DESC' }, take: limit });
  }

  active(): Promise<readonly BulkEdit[]> {
    return this.find({ state: In(['running', 'undoing']) }, { order: { id: 'ASC' } });
  }

  async chosenPhotos(id: Id, after: Id | null, limit: number): Promise<readonly Id[]> {
    const sql = `SELECT chosen.id FROM bulk_edits e CROSS JOIN unnest(e.photo_ids) AS chosen (id)
      WHERE e.customer_id = $1 AND e.id = $2 AND chosen.id > $3 ORDER BY chosen.id LIMIT $4`;
    return (await this.select<{ id: Id }>(sql, id, after ?? 0, limit)).map((row) => row.id);
  }

  changes(id: Id, after: Id | null, limit: number): Promise<readonly BulkChange[]> {
    return this.manager.find(bulkChangeTable, {
      select: { photoId: true, before: true, after: true },
      where: { customerId: this.customerId, bulkEditId: id, photoId: MoreThan(after ?? 0) },
      order: { photoId: 'ASC' },
      take: limit,
    });
  }

  async lock(id: Id): Promise<BulkEdit | null> {
    const [edit] = await this.find({ id }, { lock: { mode: 'for_no_key_update' } });
    return edit ?? null;
  }

  async insert(edit: NewBulkEdit, photoIds: readonly Id[]): Promise<BulkEdit> {
    const [stored] = await insert<BulkEditRow>(this.manager, bulkEditTable, [
      { ...edit, photoIds, customerId: this.customerId },
    ]);
    return editOf(requireFound(stored, 'bulk_edit'));
  }

  async update(edit: BulkEdit): Promise<void> {
    const { changed, unchanged, failures, undone, kept } = edit;
    const counts = { changed, unchanged, failures, undone, kept };
    const { id, state, lastPhotoId, undoneBy, endedAt } = edit;
    const row = { customerId: this.customerId, id, state, lastPhotoId, ...counts, undoneBy, endedAt };
    await update<BulkEditRow>(this.manager, bulkEditTable, row);
  }

  async addChanges(id: Id, changes: readonly BulkChange[]): Promise<void> {
    const rows = changes.map((each) => ({ customerId: this.customerId, bulkEditId: id, ...each }));
    const [first] = rows;
    if (first !== undefined) await this.manager.query(insertion(bulkChangeTable, first), [asJson(rows)]);
  }

  async forget(before: Date, limit: number): Promise<boolean> {
    const changes = `DELETE FROM bulk_edit_changes WHERE customer_id = $1 AND (bulk_edit_id, photo_id) IN (
      SELECT c.bulk_edit_id, c.photo_id FROM bulk_edit_changes c JOIN bulk_edits e ON e.customer_id = $1 AND e.id = c.bulk_edit_id
      WHERE c.customer_id = $1 AND e.created_at < $2 LIMIT $3)`;
    const count = await this.change(changes, before, limit);
    if (count >= limit) return false;
    await this.manager.delete(bulkEditTable, { customerId: this.customerId, createdAt: LessThan(before) });
    return true;
  }

  private async find(
    where: FindOptionsWhere<BulkEditRow>,
    options: Omit<FindManyOptions<BulkEditRow>, 'where'>,
  ): Promise<readonly BulkEdit[]> {
    const own = { ...where, customerId: this.customerId };
    return (await this.manager.find(bulkEditTable, { ...options, where: own })).map(editOf);
  }
}

type InstantFilter = {
  [Name in keyof PhotoFilters]-?: Date extends PhotoFilters[Name] ? Name : never;
}[keyof PhotoFilters];

/** The filters by an instant: all, or it does not compile. */
const instantFilters: Readonly<Record<InstantFilter, true>> = {
  takenAfter: true,
  takenBefore: true,
  createdAfter: true,
  createdBefore: true,
  updatedAfter: true,
  updatedBefore: true,
};

/** JSON has no instants. */
function editOf(row: BulkEdit): BulkEdit {
  if (row.filters === null) return row;
  const filters: Record<string, unknown> = { ...row.filters };
  for (const name of Object.keys(instantFilters)) {
    if (filters[name] !== undefined) filters[name] = new Date(filters[name] as string);
  }
  return { ...row, filters: filters as unknown as PhotoFilters };
}
