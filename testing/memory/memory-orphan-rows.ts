import { blobPrefixes } from '../../src/core/blobs/blob-key.js';
import type { OrphanReads, OrphanRow, OrphanRows } from '../../src/core/integrity/findings.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';

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
