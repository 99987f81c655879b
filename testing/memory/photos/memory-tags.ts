import { isTrashed, type Photo } from '../../../src/core/photos/photo.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { Position } from '../../../src/core/shared/pagination.js';
import { compareText, searchText } from '../../../src/core/shared/text.js';
import {
  type NewTag,
  type Tag,
  type TagFilters,
  type TagQuery,
  type TagSort,
  tagPosition,
} from '../../../src/core/tags/tag.js';
import type { BumpedPhotos, MergedPhotos, TagCount, TagRepository } from '../../../src/core/tags/tag-repository.js';
import { type MemoryDatabase, windowOf } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryTagRepository extends MemoryRepository implements TagRepository {
  async get(id: Id): Promise<Tag | null> {
    return this.database.tags.rowOf(this.customerId, id);
  }

  async getMany(ids: readonly Id[]): Promise<readonly Tag[]> {
    return this.own((tag) => ids.includes(tag.id)).sort((a, b) => a.id - b.id);
  }

  async lock(ids: readonly Id[]): Promise<readonly Tag[]> {
    return this.getMany(ids);
  }

  async list({ filters, sort, window }: TagQuery): Promise<readonly Tag[]> {
    const rows = this.own((tag) => matches(tag, filters));
    return windowOf(rows, (tag) => tagPosition(tag, sort), sort.startsWith('-'), window);
  }

  async hasRowAt(filters: TagFilters, sort: TagSort, { id, value }: Position): Promise<boolean> {
    const tag = await this.get(id);
    return tag !== null && matches(tag, filters) && tagPosition(tag, sort).value === value;
  }

  async findByNameKeys(nameKeys: readonly string[]): Promise<readonly Tag[]> {
    return this.own((tag) => nameKeys.includes(tag.nameKey)).sort((a, b) => a.id - b.id);
  }

  async ofPhoto(photoId: Id): Promise<readonly Tag[]> {
    const ids = this.database.photos.get(photoId) ? (this.database.links.get(photoId) ?? []) : [];
    return this.own((tag) => ids.includes(tag.id)).sort((a, b) => compareText(a.nameKey, b.nameKey) || a.id - b.id);
  }

  async count(): Promise<number> {
    return this.own().length;
  }

  async photoCounts(after: Id | null, limit: number): Promise<readonly TagCount[]> {
    return this.own((tag) => tag.id > (after ?? 0))
      .sort((a, b) => a.id - b.id)
      .slice(0, limit)
      .map(({ id, photoCount }) => ({ id, stored: photoCount, counted: this.countVisiblePhotos(id) }));
  }

  async recount(id: Id): Promise<void> {
    const tag = await this.get(id);
    if (tag !== null) this.database.tags.set(id, { ...tag, photoCount: this.countVisiblePhotos(id) });
  }

  async insert(tag: NewTag): Promise<Tag | null> {
    if (this.own((other) => other.nameKey === tag.nameKey).length > 0) return null;
    this.database.requireCustomer(this.customerId);
    const id = this.database.next('tag');
    const { name, nameKey, color, description, createdAt } = tag;
    const fields = { name, nameKey, color, description, createdAt };
    const row: Tag = { ...fields, id, customerId: this.customerId, photoCount: 0, updatedAt: createdAt, version: 1 };
    this.database.tags.set(id, row);
    return row;
  }

  async update(tag: Tag): Promise<boolean> {
    if (this.own((other) => other.nameKey === tag.nameKey && other.id !== tag.id).length > 0) return false;
    const stored = await this.get(tag.id);
    if (stored === null) return true;
    const { name, nameKey, color, description, updatedAt, version } = tag;
    this.database.tags.set(tag.id, { ...stored, name, nameKey, color, description, updatedAt, version });
    return true;
  }

  async delete(id: Id, at: Date | null): Promise<readonly Id[]> {
    if ((await this.get(id)) === null) return [];
    const changed = this.relink(this.photosWith([id]), [id], [], at);
    this.remove([id], at);
    return changed;
  }

  async attach(id: Id, photoIds: readonly Id[], at: Date): Promise<readonly Id[]> {
    return this.relink(this.lockedPhotos(photoIds), [], [id], at);
  }

  async detach(ids: readonly Id[], photoIds: readonly Id[], at: Date): Promise<readonly Id[]> {
    return this.relink(this.lockedPhotos(photoIds), ids, [], at);
  }

  async merge(from: readonly Id[], into: Id, at: Date | null): Promise<MergedPhotos> {
    const own = from.filter((id) => this.isOwn(id));
    const photos = this.photosWith(own);
    const shown = photos.filter((photo) => !isTrashed(photo));
    const unchanged = shown.filter((photo) => this.linksOf(photo.id).includes(into)).length;
    const changed = this.relink(photos, own, [into], at);
    this.remove(own, at);
    return { changed, added: shown.length - unchanged, unchanged };
  }

  async tombstones(): Promise<readonly Id[]> {
    const all = this.database.tagTombstones.entries();
    const own = all.filter(([, { customerId }]) => customerId === this.customerId);
    return own.map(([id]) => id).sort((a, b) => a - b);
  }

  async bumpVersions(tombstones: readonly Id[], after: Id, limit: number, at: Date): Promise<BumpedPhotos> {
    const photos = this.database.photos.rowsOf(this.customerId, ({ id }) => id > after);
    const page = photos.sort((a, b) => a.id - b.id).slice(0, limit);
    const isLeft = (id: Id) => tombstones.includes(id);
    const marked = page.filter((photo) => this.database.tombstonePhotos.get(photo.id)?.some(isLeft));
    for (const photo of marked) {
      const left = this.database.tombstonePhotos.get(photo.id) ?? [];
      this.database.tombstonePhotos.set(
        photo.id,
        left.filter((id) => !isLeft(id)),
      );
      this.database.photos.set(photo.id, { ...photo, updatedAt: at, version: photo.version + 1 });
    }
    const last = page.length < limit ? null : (page.at(-1)?.id ?? null);
    return { changed: marked.map(({ id }) => id), last };
  }

  async dropTombstones(tombstones: readonly Id[]): Promise<void> {
    for (const id of tombstones) {
      if (this.database.tagTombstones.rowOf(this.customerId, id) !== null) this.database.tagTombstones.delete(id);
    }
  }

  private remove(ids: readonly Id[], at: Date | null): void {
    for (const id of ids) {
      this.database.tags.delete(id);
      if (at === null) this.database.tagTombstones.set(id, { customerId: this.customerId });
    }
  }

  private countVisiblePhotos(id: Id): number {
    return this.photosWith([id]).filter((photo) => !isTrashed(photo)).length;
  }

  private lockedPhotos(ids: readonly Id[]): Photo[] {
    const photos = this.database.photos.rowsOf(this.customerId, (row) => ids.includes(row.id));
    for (const { id } of photos) this.held.requireLocked('photo', id);
    return photos;
  }

  private photosWith(tagIds: readonly Id[]): Photo[] {
    return this.database.photos.rowsOf(this.customerId, ({ id }) =>
      this.linksOf(id).some((link) => tagIds.includes(link)),
    );
  }

  /**
   * One new version of each photo that anything changes of, and the counts with it. Returns those photos. With null, the versions are left
   * for later.
   */
  private relink(photos: readonly Photo[], off: readonly Id[], on: readonly Id[], at: Date | null): readonly Id[] {
    const changed = photos.filter((photo) => this.relinkOne(photo, off, on, at)).map(({ id }) => id);
    return at === null ? [] : changed;
  }

  private relinkOne(photo: Photo, off: readonly Id[], on: readonly Id[], at: Date | null): boolean {
    const before = this.linksOf(photo.id);
    const stored = before.filter((id) => !off.includes(id));
    const added = on.filter((id) => !stored.includes(id));
    if (stored.length === before.length && added.length === 0) return false;
    const missing = added.filter((id) => !this.isOwn(id));
    if (missing.length > 0) throw new Error(`There is no tag ${missing.join()}.`);
    this.database.links.set(photo.id, [...stored, ...added]);
    const gone = before.filter((id) => off.includes(id));
    if (at !== null) this.database.photos.set(photo.id, { ...photo, updatedAt: at, version: photo.version + 1 });
    else this.database.tombstonePhotos.set(photo.id, [...(this.database.tombstonePhotos.get(photo.id) ?? []), ...gone]);
    if (isTrashed(photo)) return true;
    shiftPhotoCounts(this.database, gone, -1);
    shiftPhotoCounts(this.database, added, 1);
    return true;
  }

  private linksOf(photoId: Id): readonly Id[] {
    return this.database.links.get(photoId) ?? [];
  }

  private isOwn(id: Id): boolean {
    return this.database.tags.rowOf(this.customerId, id) !== null;
  }

  private own(condition?: (tag: Tag) => boolean): Tag[] {
    return this.database.tags.rowsOf(this.customerId, condition);
  }
}

/** Adds to the numbers of visible photos of these tags. */
export function shiftPhotoCounts(database: MemoryDatabase, tagIds: readonly Id[], by: number): void {
  for (const id of tagIds) {
    const tag = database.tags.get(id);
    if (tag !== undefined) database.tags.set(id, { ...tag, photoCount: tag.photoCount + by });
  }
}

function matches(tag: Tag, { ids, nameKey, q, signs = [], unused }: TagFilters): boolean {
  return (
    (ids === undefined || ids.includes(tag.id)) &&
    (nameKey === undefined || tag.nameKey === nameKey) &&
    (q === undefined || searchText(tag.name).includes(q)) &&
    signs.every((sign) => tag.nameKey.includes(sign)) &&
    (unused === undefined || (tag.photoCount === 0) === unused)
  );
}
