import type { ImportPhoto, ImportPhotoStatus } from '../../core/imports/import-photo.js';
import type { ImportPhotoRepository, ItemQuery } from '../../core/imports/import-repository.js';
import type { Id } from '../../core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import { windowOf } from './memory-windows.js';

export class MemoryImportPhotoRepository implements ImportPhotoRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async get(importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.of(importId).find((item) => item.id === id) ?? null;
  }

  async lock(importId: Id, id: Id): Promise<ImportPhoto | null> {
    return this.get(importId, id);
  }

  async list({ importId, statuses, window }: ItemQuery): Promise<readonly ImportPhoto[]> {
    const items = this.of(importId).filter((item) => statuses === undefined || statuses.includes(item.status));
    return windowOf(items, ({ id }) => ({ value: id, id }), false, window);
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

  async allocateIds(count: number): Promise<readonly Id[]> {
    return Array.from({ length: count }, () => this.database.next('photo'));
  }

  async insert(items: readonly ImportPhoto[]): Promise<void> {
    for (const item of items) {
      const { clientRef, importId } = item;
      const taken = clientRef !== null && this.of(importId).some((other) => other.clientRef === clientRef);
      if (taken || this.database.importPhotos.get(item.id)) throw new Error(`item ${item.id} is there already`);
      this.database.importPhotos.set(item.id, { ...item, customerId: this.customerId });
    }
  }

  async update(item: ImportPhoto): Promise<void> {
    if ((await this.get(item.importId, item.id)) === null) return;
    this.database.importPhotos.set(item.id, { ...item, customerId: this.customerId });
  }

  async cancelAll(importId: Id, at: Date): Promise<void> {
    for (const item of this.of(importId)) {
      if (item.status === 'imported' || item.status === 'cancelled') continue;
      this.database.importPhotos.set(item.id, { ...item, status: 'cancelled', updatedAt: at });
    }
  }

  private of(importId: Id): ImportPhoto[] {
    return this.database.importPhotos
      .where((item) => item.customerId === this.customerId && item.importId === importId)
      .sort((a, b) => a.id - b.id);
  }
}
