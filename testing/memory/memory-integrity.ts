import { blobPrefixes, originalKey, type StagingName } from '../../src/core/blobs/blob-key.js';
import type { BlobOwnership, StagingState } from '../../src/core/blobs/blob-owners.js';
import { type ImportPhoto, reservingStatuses } from '../../src/core/imports/import-photo.js';
import type { OrphanReads, OrphanRow, OrphanRows } from '../../src/core/integrity/findings.js';
import type { ScrubPosition, ScrubRound } from '../../src/core/integrity/scrub.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { LockedRows, MemoryDatabase } from './memory-database.js';

export class MemoryBlobOwnership implements BlobOwnership {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
  ) {}

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

export class MemoryOrphanRows implements OrphanReads {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async list(after: Id | null, limit: number): Promise<OrphanRows> {
    const { photos, importPhotos } = this.database;
    const own = [...photos.rowsOf(this.customerId), ...importPhotos.rowsOf(this.customerId)];
    const ids = new Set(own.map(({ id }) => id).filter((id) => id > (after ?? 0)));
    const piece = [...ids].sort((a, b) => a - b).slice(0, limit);
    const rows = piece.flatMap((id) => this.found(id));
    return { last: piece.length < limit ? null : (piece.at(-1) ?? null), rows };
  }

  /** Tags and EXIF of a photo say no customer here: what is left of them is found by the item that the photo was. */
  private found(id: Id): OrphanRow[] {
    const { customerId, database } = this;
    const photo = database.photos.rowOf(customerId, id);
    const item = database.importPhotos.rowOf(customerId, id);
    const links = database.links.get(id) ?? [];
    const isGone = database.photos.get(id) === undefined && (links.length > 0 || database.exif.get(id) !== undefined);
    const found: Record<OrphanRow['kind'], boolean> = {
      item: item !== null && database.imports.rowOf(customerId, item.importId) === null,
      original: photo !== null && !photo.blobKey.startsWith(`${blobPrefixes.originals}${customerId}/`),
      photo: photo !== null && photo.importId !== null && !database.hasImport(customerId, photo.importId),
      residue: isGone,
      tag: links.some((tagId) => database.tags.rowOf(customerId, tagId) === null),
    };
    return (Object.keys(found) as OrphanRow['kind'][]).filter((kind) => found[kind]).map((kind) => ({ kind, id }));
  }
}

export class MemoryScrubPosition implements ScrubPosition {
  private round: ScrubRound | null = null;

  async read(): Promise<ScrubRound | null> {
    return this.round;
  }

  async write(round: ScrubRound): Promise<void> {
    this.round = round;
  }
}
