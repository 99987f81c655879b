import { blobPrefixes } from '../../src/core/blobs/blob-key.js';
import type { OrphanReads, OrphanRow, OrphanRows } from '../../src/core/integrity/findings.js';
import type { ScrubPosition, ScrubRound } from '../../src/core/integrity/scrub.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryRepository } from './memory-repository.js';

export class MemoryOrphanRows extends MemoryRepository implements OrphanReads {
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
