import type { ExpectedBytes } from '../../../src/core/blobs/verified-blobs.js';
import type { ExifTags } from '../../../src/core/media/picture-metadata.js';
import type { CountedValue, PhotoKind, ValuesRequest } from '../../../src/core/photos/filter-values.js';
import { isTrashed, type Photo, type PhotoWithTags } from '../../../src/core/photos/photo.js';
import {
  type ListSort,
  type PhotoFilters,
  type PhotoQuery,
  photoPosition,
} from '../../../src/core/photos/photo-query.js';
import type { NewPhoto, PhotoRepository } from '../../../src/core/photos/photo-repository.js';
import { requireFound } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { Position } from '../../../src/core/shared/pagination.js';
import { byName } from '../../../src/core/tags/tag.js';
import { windowOf } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';
import { camerasOf, countriesOf, kindsOf, lensesOf, matches } from './memory-photo-queries.js';
import { shiftPhotoCounts } from './memory-tags.js';

export class MemoryPhotoRepository extends MemoryRepository implements PhotoRepository {
  async get(id: Id): Promise<PhotoWithTags | null> {
    const photo = this.database.photos.rowOf(this.customerId, id);
    return photo && this.tagged(photo);
  }

  async getVisible(id: Id): Promise<Photo | null> {
    const photo = this.database.photos.rowOf(this.customerId, id);
    const isClosing = this.database.customers.get(this.customerId)?.status === 'closing';
    return photo !== null && !isTrashed(photo) && !isClosing ? photo : null;
  }

  async getMany(ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    const wanted = new Set(ids);
    return this.own((photo) => wanted.has(photo.id));
  }

  async lock(ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    const photos = await this.getMany(ids);
    this.held.lock(
      'photo',
      photos.map((photo) => photo.id),
    );
    return photos;
  }

  async lockTagged(tagIds: readonly Id[], ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    const tagged = this.own((photo) => this.linksOf(photo.id).some((link) => tagIds.includes(link)));
    const locked = await this.lock([...tagged.map((photo) => photo.id), ...ids]);
    return locked.filter((photo) => ids.includes(photo.id));
  }

  async countTagged(tagIds: readonly Id[], limit: number): Promise<number> {
    const tagged = this.own((photo) => this.linksOf(photo.id).some((link) => tagIds.includes(link)));
    return Math.min(tagged.length, limit);
  }

  async list({ filters, sort, window }: PhotoQuery): Promise<readonly PhotoWithTags[]> {
    const rows = this.own().filter((photo) => matches(photo, filters));
    return windowOf(rows, (photo) => photoPosition(photo, sort, filters.similar), sort.startsWith('-'), window);
  }

  async count(filters: PhotoFilters): Promise<number> {
    return this.own().filter((photo) => matches(photo, filters)).length;
  }

  async hasRowAt(filters: PhotoFilters, sort: ListSort, { id, value }: Position): Promise<boolean> {
    const photo = await this.get(id);
    return photo !== null && matches(photo, filters) && photoPosition(photo, sort, filters.similar).value === value;
  }

  async findBySha256(sha256: readonly string[]): Promise<readonly Photo[]> {
    const first = new Map<string, Photo>();
    const rows = this.database.photos.rowsOf(this.customerId, (row) => sha256.includes(row.sha256));
    for (const photo of rows.sort((a, b) => a.dupSeq - b.dupSeq)) {
      if (!first.has(photo.sha256)) first.set(photo.sha256, photo);
    }
    return [...first.values()];
  }

  async exif(id: Id): Promise<ExifTags | null> {
    return (await this.get(id)) === null ? null : (this.database.exif.get(id)?.tags ?? null);
  }

  async countTakenBetween(instants: readonly Date[], most: number): Promise<readonly number[]> {
    const photos = this.own((photo) => !isTrashed(photo));
    const isBetween = ({ takenAt }: Photo, from: Date, to: Date) => takenAt !== null && takenAt >= from && takenAt < to;
    const taken = (from: Date, to: Date) => photos.filter((photo) => isBetween(photo, from, to)).length;
    return instants.slice(1).map((to, at) => Math.min(most, taken(instants[at] ?? to, to)));
  }

  async kinds(request: ValuesRequest): Promise<readonly PhotoKind[]> {
    return kindsOf(this.own(), request);
  }

  async cameras(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return camerasOf(this.own(), request);
  }

  async lenses(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return lensesOf(this.own(), request);
  }

  async countries(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return countriesOf(this.own(), request);
  }

  async setThumb(id: Id, thumb: ExpectedBytes): Promise<void> {
    const photo = await this.get(id);
    if (photo !== null) this.store({ ...photo, thumb });
  }

  async toPurge(at: Date, after: Id | null, limit: number): Promise<readonly Id[]> {
    return this.own(({ purgeAt }) => purgeAt !== null && purgeAt.getTime() <= at.getTime())
      .map(({ id }) => id)
      .filter((id) => id > (after ?? 0) && !this.awaited(id))
      .slice(0, limit);
  }

  async isAwaited(id: Id): Promise<boolean> {
    return this.awaited(id);
  }

  async insert(photo: Photo, tagIds: readonly Id[], exif: ExifTags): Promise<boolean> {
    const taken = this.database.photos.rowsOf(
      this.customerId,
      (row) => row.sha256 === photo.sha256 && row.dupSeq === photo.dupSeq,
    );
    if (taken.length > 0) return false;
    if (this.database.photos.get(photo.id)) throw new Error(`photo ${photo.id} is there already`);
    this.database.requireCustomer(this.customerId);
    this.store(photo);
    this.held.lock('photo', [photo.id]);
    this.database.exif.set(photo.id, { tags: exif });
    const known = [...new Set(tagIds)].filter((id) => this.database.tags.rowOf(this.customerId, id) !== null);
    this.database.links.set(photo.id, known);
    if (!isTrashed(photo)) shiftPhotoCounts(this.database, known, 1);
    return true;
  }

  async insertMany(additions: readonly NewPhoto[]): Promise<readonly Id[]> {
    const stored: Id[] = [];
    for (const { photo, tagIds, exif } of additions) {
      if (await this.insert(photo, tagIds, exif)) stored.push(photo.id);
    }
    return stored;
  }

  async nextDupSeq(): Promise<number> {
    return this.database.next('dupSeq');
  }

  async update(photo: Photo): Promise<void> {
    const before = this.stored(photo.id);
    this.held.requireLocked('photo', photo.id);
    this.store(photo);
    this.database.tombstonePhotos.delete(photo.id);
    const shift = Number(isTrashed(before)) - Number(isTrashed(photo));
    if (shift !== 0) shiftPhotoCounts(this.database, this.linksOf(photo.id), shift);
  }

  async setTags(id: Id, tagIds: readonly Id[]): Promise<void> {
    const photo = this.stored(id);
    this.held.requireLocked('photo', id);
    const foreign = tagIds.filter((tagId) => this.database.tags.rowOf(this.customerId, tagId) === null);
    if (foreign.length > 0) throw new Error(`There is no tag ${foreign.join()}.`);
    const before = this.linksOf(id);
    this.database.links.set(id, [...new Set(tagIds)]);
    if (isTrashed(photo)) return;
    shiftPhotoCounts(this.database, before, -1);
    shiftPhotoCounts(this.database, this.linksOf(id), 1);
  }

  async delete(id: Id): Promise<void> {
    const photo = await this.get(id);
    if (photo === null) return;
    if (!isTrashed(photo)) shiftPhotoCounts(this.database, this.linksOf(id), -1);
    this.database.links.delete(id);
    this.database.tombstonePhotos.delete(id);
    this.database.exif.delete(id);
    this.database.separatedPhotos.deleteWhere(({ photoId, otherId }) => photoId === id || otherId === id);
    this.database.photos.delete(id);
  }

  private awaited(id: Id): boolean {
    const isLive = (importId: Id) =>
      ['open', 'processing'].includes(this.database.imports.get(importId)?.status ?? 'expired');
    const duplicates = this.database.importPhotos.rowsOf(
      this.customerId,
      (item) => item.status === 'duplicate' && item.photoId === id,
    );
    return duplicates.some(({ importId }) => isLive(importId));
  }

  private own(condition?: (photo: Photo) => boolean): PhotoWithTags[] {
    return this.database.photos
      .rowsOf(this.customerId, condition)
      .sort((a, b) => a.id - b.id)
      .map((photo) => this.tagged(photo));
  }

  private store(photo: Photo): void {
    const { importId } = photo;
    if (importId !== null && !this.database.hasImport(this.customerId, importId)) {
      throw new Error(`There is no import ${importId}.`);
    }
    // Who edits a photo hands over the tags that it was read with.
    const { tags: _, ...row } = photo as PhotoWithTags;
    this.database.photos.set(photo.id, { ...row, customerId: this.customerId });
  }

  private stored(id: Id): Photo {
    return requireFound(this.database.photos.rowOf(this.customerId, id), 'photo');
  }

  private tagged(photo: Photo): PhotoWithTags {
    const tags = this.linksOf(photo.id).flatMap((id) => this.database.tags.get(id) ?? []);
    return { ...photo, tags: tags.map(({ id, name }) => ({ id, name })).sort(byName) };
  }

  private linksOf(id: Id): readonly Id[] {
    return this.database.links.get(id) ?? [];
  }
}
