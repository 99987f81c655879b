import {
  type CountedImport,
  countItems,
  type Import,
  isEnded,
  type NewImport,
  type OldEnough,
} from '../../../src/core/imports/import.js';
import { fail, type ImportPhoto, type ImportPhotoStatus } from '../../../src/core/imports/import-photo.js';
import type {
  ImportPhotoRepository,
  ImportQuery,
  ImportRepository,
  ItemQuery,
} from '../../../src/core/imports/import-repository.js';
import type { ItemError } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { type ForgottenItems, type MemoryDatabase, windowOf } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';
import { deleteSourceFetch } from './memory-fetches.js';

export class MemoryImportRepository extends MemoryRepository implements ImportRepository {
  async find(id: Id): Promise<Import | null> {
    return this.database.imports.rowOf(this.customerId, id);
  }

  async lock(id: Id): Promise<Import | null> {
    this.held.lock('import', [id]);
    return this.find(id);
  }

  async share(id: Id): Promise<Import | null> {
    return this.find(id);
  }

  async lockUnpublished(tagIds: readonly Id[]): Promise<void> {
    this.held.lock('import', idsOf(this.unpublished()));
    this.held.lock('item', idsOf(this.unpublishedItems(tagIds)));
  }

  async replaceTags(from: readonly Id[], into: Id): Promise<void> {
    const replaced = <T extends Import | ImportPhoto>(row: T): T => {
      const tagIds = new Set(row.tagIds.map((id) => (from.includes(id) ? into : id)));
      return { ...row, tagIds: [...tagIds].sort((a, b) => a - b) };
    };
    for (const subject of this.unpublished().filter(has(from))) {
      this.held.requireLocked('import', subject.id);
      this.database.imports.set(subject.id, replaced(subject));
    }
    for (const item of this.unpublishedItems(from)) {
      this.held.requireLocked('item', item.id);
      this.database.importPhotos.set(item.id, replaced(item));
    }
  }

  async get(id: Id): Promise<CountedImport | null> {
    const subject = await this.find(id);
    return subject && this.counted(subject);
  }

  async findOpenByClientRef(clientRef: string): Promise<CountedImport | null> {
    const subject = this.open().find((candidate) => candidate.clientRef === clientRef);
    return subject ? this.counted(subject) : null;
  }

  async list({ statuses, window: { after, limit } }: ImportQuery): Promise<readonly CountedImport[]> {
    return this.database.imports
      .rowsOf(this.customerId, (row) => statuses?.includes(row.status) ?? true)
      .filter(({ id }) => after === null || id < after.id)
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map((subject) => this.counted(subject));
  }

  async countOpen(): Promise<number> {
    return this.open().length;
  }

  async expired(at: Date, limit: number): Promise<readonly Id[]> {
    const due = (subject: Import) => subject.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return this.open()
      .filter((subject) => due(subject) <= at.getTime())
      .sort((a, b) => due(a) - due(b) || a.id - b.id)
      .slice(0, limit)
      .map((subject) => subject.id);
  }

  async endingAfter(at: Date, window: { readonly after: Id | null; readonly limit: number }): Promise<readonly Id[]> {
    return this.open()
      .filter(({ id, expiresAt }) => id > (window.after ?? 0) && (expiresAt?.getTime() ?? 0) > at.getTime())
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .slice(0, window.limit);
  }

  async toForget(old: OldEnough, limit: number): Promise<readonly Id[]> {
    const ended = (subject: Import) => subject.completedAt?.getTime() ?? 0;
    return this.database.imports
      .rowsOf(this.customerId, (subject) => isOldEnough(this.database, subject, old))
      .sort((a, b) => ended(a) - ended(b) || a.id - b.id)
      .slice(0, limit)
      .map((subject) => subject.id);
  }

  async insert(subject: NewImport): Promise<Import | null> {
    if (subject.clientRef !== null && (await this.findOpenByClientRef(subject.clientRef)) !== null) return null;
    this.database.requireCustomer(this.customerId);
    const row = { ...subject, id: this.database.next('import'), customerId: this.customerId };
    this.database.imports.set(row.id, row);
    this.held.lock('import', [row.id]);
    return row;
  }

  async update(subject: Import): Promise<void> {
    if ((await this.find(subject.id)) === null) return;
    this.held.requireLocked('import', subject.id);
    const { counts: _, totalBytes: __, ...row } = subject as CountedImport;
    this.database.imports.set(subject.id, { ...row, customerId: this.customerId });
  }

  async forgetItems(id: Id, limit: number): Promise<boolean> {
    if ((await this.find(id)) === null) return true;
    this.held.requireLocked('import', id);
    const gone = this.itemsOf(id).slice(0, limit);
    const { byStatus, totalBytes } = plus(this.database.forgottenItems.get(id), gone);
    this.deleteItems(gone);
    const all = gone.length < limit;
    this.database.forgottenItems.set(id, { byStatus, totalBytes, all });
    return all;
  }

  async forget(id: Id): Promise<void> {
    if ((await this.find(id)) === null) return;
    this.held.requireLocked('import', id);
    this.deleteItems(this.itemsOf(id));
    this.database.forgottenItems.delete(id);
    this.database.droppedUploads.delete(id);
    this.database.imports.delete(id);
    const { customerId } = this;
    const named = this.database.photos.rowsOf(customerId, ({ importId }) => importId === id);
    if (named.length > 0) this.database.forgottenImports.set(id, { customerId });
  }

  private deleteItems(items: readonly ImportPhoto[]): void {
    for (const { id } of items) {
      this.database.importPhotos.delete(id);
      this.database.resumableUploads.delete(id);
      deleteSourceFetch(this.database, id);
    }
  }

  private open(): Import[] {
    return this.database.imports.rowsOf(this.customerId, (row) => row.status === 'open');
  }

  private unpublished(): Import[] {
    return this.database.imports.rowsOf(this.customerId, (row) => !isEnded(row));
  }

  private unpublishedItems(tagIds: readonly Id[]): ImportPhoto[] {
    const imports = new Set(idsOf(this.unpublished()));
    return this.database.importPhotos.where((item) => imports.has(item.importId)).filter(has(tagIds));
  }

  private counted(subject: Import): CountedImport {
    const { byStatus, totalBytes } = plus(this.database.forgottenItems.get(subject.id), this.itemsOf(subject.id));
    const counts = countItems(new Map(Object.entries(byStatus) as [ImportPhotoStatus, number][]));
    return { ...subject, counts, totalBytes };
  }

  private itemsOf(id: Id): ImportPhoto[] {
    return this.database.importPhotos.where((item) => item.importId === id);
  }
}

function plus(before: ForgottenItems | undefined, items: readonly ImportPhoto[]): Omit<ForgottenItems, 'all'> {
  const byStatus = { ...before?.byStatus };
  for (const { status } of items) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return { byStatus, totalBytes: items.reduce((sum, item) => sum + (item.sizeBytes ?? 0), before?.totalBytes ?? 0) };
}

function isOldEnough(database: MemoryDatabase, { id, completedAt }: Import, old: OldEnough): boolean {
  const until = database.forgottenItems.get(id)?.all ? old.imports : old.itemsOf;
  return completedAt !== null && completedAt.getTime() <= until.getTime();
}

function idsOf(rows: readonly { readonly id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}

function has(some: readonly Id[]) {
  return ({ tagIds }: Import | ImportPhoto) => tagIds.some((id) => some.includes(id));
}

export class MemoryImportPhotoRepository extends MemoryRepository implements ImportPhotoRepository {
  async get(importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.of(importId).find((item) => item.id === id) ?? null;
  }

  async lock(importId: Id, id: Id): Promise<ImportPhoto | null> {
    const item = await this.get(importId, id);
    if (item !== null) this.held.lock('item', [id]);
    return item;
  }

  async lockMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]> {
    const items = await this.getMany(importId, ids);
    this.held.lock(
      'item',
      items.map(({ id }) => id),
    );
    return items;
  }

  async list({ importId, statuses, window }: ItemQuery): Promise<readonly ImportPhoto[]> {
    const items = this.of(importId).filter((item) => statuses === undefined || statuses.includes(item.status));
    return windowOf(items, ({ id }) => ({ value: id, id }), false, window);
  }

  async withBytes(after: Id | null, limit: number): Promise<readonly ImportPhoto[]> {
    return this.database.importPhotos
      .rowsOf(this.customerId, ({ id, status }) => id > (after ?? 0) && ['processing', 'ready'].includes(status))
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  async getMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]> {
    return this.of(importId).filter(({ id }) => ids.includes(id));
  }

  async findByClientRefs(importId: Id, clientRefs: readonly string[]): Promise<readonly ImportPhoto[]> {
    return this.of(importId).filter(({ clientRef }) => clientRef !== null && clientRefs.includes(clientRef));
  }

  async findBySha256(importId: Id, sha256: readonly string[]): Promise<readonly ImportPhoto[]> {
    const live = this.of(importId).filter((item) => item.status !== 'cancelled');
    return live.filter((item) => item.sha256 !== null && sha256.includes(item.sha256));
  }

  async count(importId: Id): Promise<number> {
    return this.of(importId).length;
  }

  async countIn(importId: Id, statuses: readonly ImportPhotoStatus[]): Promise<number> {
    return this.of(importId).filter((item) => statuses.includes(item.status)).length;
  }

  async lastChange(importId: Id): Promise<Date | null> {
    const times = this.of(importId).map(({ updatedAt }) => updatedAt);
    return times.sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
  }

  async allocateIds(count: number): Promise<readonly Id[]> {
    return Array.from({ length: count }, () => this.database.next('photo'));
  }

  async insert(items: readonly ImportPhoto[]): Promise<void> {
    const taken = new Map<Id, Set<string | null>>();
    for (const { clientRef, importId, ...item } of items) {
      this.held.requireLocked('import', importId);
      if (this.database.imports.rowOf(this.customerId, importId) === null) {
        throw new Error(`There is no import ${importId}.`);
      }
      const refs = taken.get(importId) ?? new Set(this.of(importId).map((other) => other.clientRef));
      const isThere = this.database.importPhotos.get(item.id) !== undefined;
      if (isThere || (clientRef !== null && refs.has(clientRef))) throw new Error(`Item ${item.id} is there already.`);
      taken.set(importId, refs.add(clientRef));
      this.store({ ...item, clientRef, importId });
    }
  }

  async update(...items: readonly ImportPhoto[]): Promise<void> {
    for (const item of items) {
      if ((await this.get(item.importId, item.id)) === null) continue;
      if (!this.held.isLocked('import', item.importId)) this.held.requireLocked('item', item.id);
      this.store(item);
    }
  }

  async failWaiting(importId: Id, error: ItemError, ofDuplicates: ItemError, at: Date): Promise<void> {
    for (const item of this.of(importId)) {
      if (item.status === 'awaiting_upload') this.database.importPhotos.set(item.id, fail(item, error, at));
    }
    const items = this.of(importId);
    const gone = new Set(items.filter(({ status }) => status === 'failed').map(({ id }) => id));
    for (const item of items) {
      if (item.status !== 'duplicate' || !gone.has(item.duplicateOfItemId ?? 0)) continue;
      this.database.importPhotos.set(item.id, fail(item, ofDuplicates, at));
    }
  }

  async cancelAll(importId: Id, at: Date): Promise<void> {
    for (const item of this.of(importId)) {
      if (item.status === 'imported' || item.status === 'cancelled') continue;
      this.database.importPhotos.set(item.id, { ...item, status: 'cancelled', updatedAt: at });
    }
  }

  private store(item: ImportPhoto): void {
    // Who changes an item may hand over what it is shown with.
    const { tags: _, upload: __, ...row } = item as ImportPhoto & { tags?: unknown; upload?: unknown };
    this.database.importPhotos.set(item.id, { ...row, customerId: this.customerId });
  }

  private of(importId: Id): ImportPhoto[] {
    return this.database.importPhotos
      .rowsOf(this.customerId, (item) => item.importId === importId)
      .sort((a, b) => a.id - b.id);
  }
}
