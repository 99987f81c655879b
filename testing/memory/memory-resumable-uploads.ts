import { waitsFor } from '../../src/core/imports/import-photo.js';
import type { ResumableUpload, ResumableUploadRepository } from '../../src/core/imports/receive/resumable-upload.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';

export class MemoryResumableUploadRepository implements ResumableUploadRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
  ) {}

  async get(itemId: Id): Promise<ResumableUpload | null> {
    const upload = this.database.resumableUploads.get(itemId);
    return upload?.customerId === this.customerId ? upload : null;
  }

  async abandoned(until: Date, limit: number): Promise<readonly ResumableUpload[]> {
    return this.database.resumableUploads
      .where((upload) => upload.customerId === this.customerId && this.isAbandoned(upload, until))
      .sort((a, b) => a.itemId - b.itemId)
      .slice(0, limit);
  }

  async put(upload: ResumableUpload): Promise<void> {
    this.held.requireLocked('item', upload.itemId);
    if (this.database.importPhotos.get(upload.itemId)?.customerId !== this.customerId) {
      throw new Error(`There is no item ${upload.itemId}.`);
    }
    this.database.resumableUploads.set(upload.itemId, { ...upload, customerId: this.customerId });
  }

  async delete(itemId: Id): Promise<void> {
    if ((await this.get(itemId)) !== null) this.database.resumableUploads.delete(itemId);
  }

  private isAbandoned({ itemId, uploadId, updatedAt }: ResumableUpload, until: Date): boolean {
    const item = this.database.importPhotos.get(itemId);
    return !waitsFor(item ?? null, { uploadId }) || updatedAt.getTime() <= until.getTime();
  }
}
