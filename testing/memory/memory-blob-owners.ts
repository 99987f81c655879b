import { originalKey, type StagingName } from '../../src/core/blobs/blob-key.js';
import type { BlobOwnership, StagingState } from '../../src/core/blobs/blob-owners.js';
import { type ImportPhoto, reservingStatuses } from '../../src/core/imports/import-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';

export class MemoryBlobOwnership implements BlobOwnership {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
  ) {}

  async staging(names: readonly StagingName[]): Promise<readonly StagingState[]> {
    return names.map(({ importId, itemId, uploadId }) => {
      const [item] = this.items((each) => each.id === itemId && each.importId === importId);
      const subject = this.database.imports.get(importId);
      return {
        uploadId,
        held:
          (item?.uploadId === uploadId && (item.status === 'awaiting_upload' || item.status === 'processing')) ||
          this.isPart(importId, itemId, uploadId),
        open: subject?.customerId === this.customerId && subject.status === 'open',
      };
    });
  }

  async originals(blobNames: readonly string[]): Promise<readonly string[]> {
    const { customerId } = this;
    const keys = new Set(this.photos().map((photo) => photo.blobKey));
    const names = new Set(this.items(({ status }) => reservingStatuses.includes(status)).map((item) => item.blobName));
    return blobNames.filter((blobName) => names.has(blobName) || keys.has(originalKey({ customerId, blobName })));
  }

  async renditions(ids: readonly Id[]): Promise<readonly { id: Id; rotation: number | null }[]> {
    const photos = this.photos().map(({ id, rotation, originalLostAt }) => ({
      id,
      rotation: originalLostAt === null ? rotation : null,
    }));
    const items = this.items(({ status }) => reservingStatuses.includes(status)).map(({ id }) => ({ id, rotation: 0 }));
    return [...photos, ...items].filter(({ id }) => ids.includes(id));
  }

  async dropped(importId: Id, uploadIds: readonly number[]): Promise<readonly number[]> {
    if (this.database.imports.get(importId)?.customerId !== this.customerId) return [];
    return uploadIds.filter((uploadId) => this.database.droppedUploads.get(importId)?.includes(uploadId));
  }

  async drop(importId: Id, uploadId: number): Promise<void> {
    this.held.requireLocked('import', importId);
    const before = this.database.droppedUploads.get(importId) ?? [];
    this.database.droppedUploads.set(importId, [...before, uploadId]);
  }

  private isPart(importId: Id, itemId: Id, uploadId: number): boolean {
    const upload = this.database.resumableUploads.get(itemId);
    if (upload?.customerId !== this.customerId || upload.importId !== importId) return false;
    return upload.parts.some((part) => part.uploadId === uploadId);
  }

  private photos() {
    return this.database.photos.where(({ customerId }) => customerId === this.customerId);
  }

  private items(condition: (item: ImportPhoto) => boolean): ImportPhoto[] {
    return this.database.importPhotos.where((item) => item.customerId === this.customerId && condition(item));
  }
}
