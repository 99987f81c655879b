import { originalKey, type StagingName } from '../../../src/core/blobs/blob-key.js';
import type { BlobOwnership, StagingState } from '../../../src/core/blobs/blob-owners.js';
import { type ImportPhoto, reservingStatuses } from '../../../src/core/imports/import-photo.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryBlobOwnership extends MemoryRepository implements BlobOwnership {
  async staging(names: readonly StagingName[]): Promise<readonly StagingState[]> {
    return names.map(({ importId, itemId, uploadId }) => {
      const item = this.database.importPhotos.rowOf(this.customerId, itemId);
      const isOfItem = item?.importId === importId && item.uploadId === uploadId;
      return {
        uploadId,
        held:
          (isOfItem && (item.status === 'awaiting_upload' || item.status === 'processing')) ||
          this.isPart(importId, itemId, uploadId),
        open: this.database.imports.rowOf(this.customerId, importId)?.status === 'open',
      };
    });
  }

  async originals(blobNames: readonly string[]): Promise<readonly string[]> {
    const { customerId } = this;
    const keys = new Set(this.database.photos.rowsOf(customerId).map((photo) => photo.blobKey));
    const names = new Set(this.reservingItems().map((item) => item.blobName));
    return blobNames.filter((blobName) => names.has(blobName) || keys.has(originalKey({ customerId, blobName })));
  }

  async renditions(ids: readonly Id[]): Promise<readonly { id: Id; rotation: number | null }[]> {
    const photos = this.database.photos.rowsOf(this.customerId).map(({ id, rotation, originalLostAt }) => ({
      id,
      rotation: originalLostAt === null ? rotation : null,
    }));
    const items = this.reservingItems().map(({ id }) => ({ id, rotation: 0 }));
    return [...photos, ...items].filter(({ id }) => ids.includes(id));
  }

  async dropped(importId: Id, uploadIds: readonly number[]): Promise<readonly number[]> {
    if (this.database.imports.rowOf(this.customerId, importId) === null) return [];
    return uploadIds.filter((uploadId) => this.database.droppedUploads.get(importId)?.includes(uploadId));
  }

  async drop(importId: Id, uploadId: number): Promise<void> {
    this.held.requireLocked('import', importId);
    const before = this.database.droppedUploads.get(importId) ?? [];
    this.database.droppedUploads.set(importId, [...before, uploadId]);
  }

  private isPart(importId: Id, itemId: Id, uploadId: number): boolean {
    const upload = this.database.resumableUploads.rowOf(this.customerId, itemId);
    return upload?.importId === importId && upload.parts.some((part) => part.uploadId === uploadId);
  }

  private reservingItems(): ImportPhoto[] {
    return this.database.importPhotos.rowsOf(this.customerId, ({ status }) => reservingStatuses.includes(status));
  }
}
