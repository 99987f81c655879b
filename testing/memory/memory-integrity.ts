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

export class MemoryOrphanRows implements OrphanReads {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async list(after: Id | null, limit: number): Promise<OrphanRows> {
    return findOrphanRows(this.database, this.customerId, after, limit);
  }
}

/** Tags and EXIF of a photo say no customer here: what is left of them is found by the item that the photo was. */
function findOrphanRows(database: MemoryDatabase, customerId: Id, after: Id | null, limit: number): OrphanRows {
  const isOwn = (row: { readonly customerId: Id } | undefined) => row?.customerId === customerId;
  const photos = database.photos.where(isOwn);
  const items = database.importPhotos.where(isOwn);
  const ids = [...new Set([...photos, ...items].map(({ id }) => id))].sort((a, b) => a - b);
  const piece = ids.filter((id) => id > (after ?? 0)).slice(0, limit);
  const rows = piece.flatMap((id): OrphanRow[] => {
    const photo = photos.find((each) => each.id === id);
    const item = items.find((each) => each.id === id);
    const links = database.links.get(id) ?? [];
    const isGone = database.photos.get(id) === undefined && (links.length > 0 || database.exif.get(id) !== undefined);
    const found: Record<OrphanRow['kind'], boolean> = {
      item: item !== undefined && !isOwn(database.imports.get(item.importId)),
      original: photo !== undefined && !photo.blobKey.startsWith(`${blobPrefixes.originals}${customerId}/`),
      photo: photo !== undefined && photo.importId !== null && !database.hasImport(customerId, photo.importId),
      residue: isGone,
      tag: links.some((tagId) => !isOwn(database.tags.get(tagId))),
    };
    return (Object.keys(found) as OrphanRow['kind'][]).filter((kind) => found[kind]).map((kind) => ({ kind, id }));
  });
  return { last: piece.length < limit ? null : (piece.at(-1) ?? null), rows };
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
