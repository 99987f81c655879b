import { type BulkChange, type BulkEdit, isActive, type NewBulkEdit } from '../../../src/core/bulk-edits/bulk-edit.js';
import type { BulkEditRepository } from '../../../src/core/bulk-edits/bulk-edit-repository.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { StoredBulkEdit } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryBulkEditRepository extends MemoryRepository implements BulkEditRepository {
  async get(id: Id): Promise<BulkEdit | null> {
    const stored = this.stored(id);
    return stored === null ? null : editOf(stored);
  }

  async list(before: Id | null, limit: number): Promise<readonly BulkEdit[]> {
    const own = this.own().filter(({ id }) => id < (before ?? Number.POSITIVE_INFINITY));
    return own.sort((a, b) => b.id - a.id).slice(0, limit);
  }

  async active(): Promise<readonly BulkEdit[]> {
    return this.own()
      .filter(isActive)
      .sort((a, b) => a.id - b.id);
  }

  async chosenPhotos(id: Id, after: Id | null, limit: number): Promise<readonly Id[]> {
    return (this.stored(id)?.photoIds ?? []).filter((photoId) => photoId > (after ?? 0)).slice(0, limit);
  }

  async changes(id: Id, after: Id | null, limit: number): Promise<readonly BulkChange[]> {
    return this.database.bulkChanges
      .rowsOf(this.customerId, (row) => row.bulkEditId === id && row.photoId > (after ?? 0))
      .sort((a, b) => a.photoId - b.photoId)
      .slice(0, limit)
      .map(({ photoId, before, after: later }) => ({ photoId, before, after: later }));
  }

  async lock(id: Id): Promise<BulkEdit | null> {
    this.held.lock('bulk edit', [id]);
    return this.get(id);
  }

  async insert(edit: NewBulkEdit, photoIds: readonly Id[]): Promise<BulkEdit> {
    this.database.requireCustomer(this.customerId);
    const [customerId, id] = [this.customerId, this.database.next('bulk edit')];
    const begun = { state: 'running', lastPhotoId: null, changed: 0, unchanged: 0, failures: [] } as const;
    const rest = { undone: 0, kept: 0, undoneBy: null, endedAt: null };
    const stored = { ...edit, customerId, id, ...begun, ...rest, photoIds };
    this.database.bulkEdits.set(id, stored);
    return editOf(stored);
  }

  async update(edit: BulkEdit): Promise<void> {
    this.held.requireLocked('bulk edit', edit.id);
    const stored = this.stored(edit.id);
    if (stored === null) return;
    const { action, filters, total, actor, createdAt, photoIds, customerId } = stored;
    const fixed = { action, filters, total, actor, createdAt, photoIds, customerId };
    this.database.bulkEdits.set(edit.id, { ...edit, ...fixed });
  }

  async addChanges(id: Id, changes: readonly BulkChange[]): Promise<void> {
    if (changes.length > 0 && this.stored(id) === null) throw new Error(`There is no bulk edit ${id}.`);
    for (const each of changes) {
      const key = `${id}/${each.photoId}`;
      if (this.database.bulkChanges.get(key) !== undefined) throw new Error(`${key} is there already.`);
      this.database.bulkChanges.set(key, { ...each, customerId: this.customerId, bulkEditId: id });
    }
  }

  async forget(before: Date, limit: number): Promise<boolean> {
    const old = new Set(this.own().flatMap(({ id, createdAt }) => (createdAt < before ? [id] : [])));
    const changes = this.database.bulkChanges.where(({ bulkEditId }) => old.has(bulkEditId)).slice(0, limit);
    for (const { bulkEditId, photoId } of changes) this.database.bulkChanges.delete(`${bulkEditId}/${photoId}`);
    if (changes.length >= limit) return false;
    for (const id of old) this.database.bulkEdits.delete(id);
    return true;
  }

  private own(): BulkEdit[] {
    return this.database.bulkEdits.rowsOf(this.customerId).map(editOf);
  }

  private stored(id: Id): StoredBulkEdit | null {
    return this.database.bulkEdits.rowOf(this.customerId, id);
  }
}

function editOf({ photoIds: _, ...edit }: StoredBulkEdit): BulkEdit {
  return edit;
}
