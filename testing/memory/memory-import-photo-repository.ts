import { fail, type ImportPhoto, type ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import type { ImportPhotoRepository, ItemQuery } from '../../src/core/imports/import-repository.js';
import type { ItemError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';
import { windowOf } from './memory-windows.js';

export class MemoryImportPhotoRepository implements ImportPhotoRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
  ) {}

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
      .where(({ customerId, id, status }) => {
        return customerId === this.customerId && id > (after ?? 0) && ['processing', 'ready'].includes(status);
      })
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
      if (this.database.imports.get(importId)?.customerId !== this.customerId) {
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
      .where((item) => item.customerId === this.customerId && item.importId === importId)
      .sort((a, b) => a.id - b.id);
  }
}
