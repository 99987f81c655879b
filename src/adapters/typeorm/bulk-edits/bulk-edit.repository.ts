import type { EntityManager } from 'typeorm';
import type { BulkChange, BulkEdit, NewBulkEdit } from '../../../core/bulk-edits/bulk-edit.js';
import type { BulkEditRepository } from '../../../core/bulk-edits/bulk-edit-repository.js';
import type { PhotoFilters } from '../../../core/photos/photo-query.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { asJson, change, insert, insertion, select, selectList, update } from '../database/rows.js';
import { type BulkEditRow, bulkChangeTable, bulkEditTable } from './bulk-edit.table.js';

const ofCustomer = `SELECT ${selectList(bulkEditTable, 'e')} FROM bulk_edits e WHERE e.customer_id = $1`;

export class TypeormBulkEditRepository implements BulkEditRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async get(id: Id): Promise<BulkEdit | null> {
    return (await this.select(`${ofCustomer} AND e.id = $2`, [id]))[0] ?? null;
  }

  list(before: Id | null, limit: number): Promise<readonly BulkEdit[]> {
    return this.select(`${ofCustomer} AND ($2::bigint IS NULL OR e.id < $2) ORDER BY e.id DESC LIMIT $3`, [
      before,
      limit,
    ]);
  }

  active(): Promise<readonly BulkEdit[]> {
    return this.select(`${ofCustomer} AND e.state IN ('running', 'undoing') ORDER BY e.id`, []);
  }

  async chosenPhotos(id: Id, after: Id | null, limit: number): Promise<readonly Id[]> {
    const sql = `SELECT chosen.id FROM bulk_edits e CROSS JOIN unnest(e.photo_ids) AS chosen (id)
      WHERE e.customer_id = $1 AND e.id = $2 AND chosen.id > $3 ORDER BY chosen.id LIMIT $4`;
    return (await select<{ id: Id }>(this.manager, sql, [this.customerId, id, after ?? 0, limit])).map((row) => row.id);
  }

  changes(id: Id, after: Id | null, limit: number): Promise<readonly BulkChange[]> {
    const sql = `SELECT ${selectList(bulkChangeTable, 'c', ['photoId', 'before', 'after'])} FROM bulk_edit_changes c
      WHERE c.customer_id = $1 AND c.bulk_edit_id = $2 AND c.photo_id > $3 ORDER BY c.photo_id LIMIT $4`;
    return select<BulkChange>(this.manager, sql, [this.customerId, id, after ?? 0, limit]);
  }

  async lock(id: Id): Promise<BulkEdit | null> {
    return (await this.select(`${ofCustomer} AND e.id = $2 FOR NO KEY UPDATE`, [id]))[0] ?? null;
  }

  async insert(edit: NewBulkEdit, photoIds: readonly Id[]): Promise<BulkEdit> {
    const [stored] = await insert<BulkEditRow>(this.manager, bulkEditTable, [
      { ...edit, photoIds, customerId: this.customerId },
    ]);
    return editOf(requireFound(stored, 'bulk_edit'));
  }

  async update({
    id,
    state,
    lastPhotoId,
    changed,
    unchanged,
    failures,
    undone,
    kept,
    ...edit
  }: BulkEdit): Promise<void> {
    const counts = { changed, unchanged, failures, undone, kept };
    const { undoneBy, endedAt } = edit;
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
    const { count } = await change(this.manager, changes, [this.customerId, before, limit]);
    if (count >= limit) return false;
    const edits = 'DELETE FROM bulk_edits WHERE customer_id = $1 AND created_at < $2';
    await change(this.manager, edits, [this.customerId, before]);
    return true;
  }

  private async select(sql: string, parameters: readonly unknown[]): Promise<readonly BulkEdit[]> {
    return (await select<BulkEdit>(this.manager, sql, [this.customerId, ...parameters])).map(editOf);
  }
}

const instants = [
  'takenAfter',
  'takenBefore',
  'createdAfter',
  'createdBefore',
  'updatedAfter',
  'updatedBefore',
] as const;
/** It does not compile when a filter by an instant is missing above. */
type Instants = { [Name in keyof PhotoFilters]-?: Date extends PhotoFilters[Name] ? Name : never }[keyof PhotoFilters];

/** JSON has no instants. */
function editOf(row: BulkEdit): BulkEdit {
  if (row.filters === null) return row;
  const filters: Record<string, unknown> = { ...row.filters };
  for (const name of instants satisfies readonly Instants[]) {
    if (filters[name] !== undefined) filters[name] = new Date(filters[name] as string);
  }
  return { ...row, filters: filters as unknown as PhotoFilters };
}
