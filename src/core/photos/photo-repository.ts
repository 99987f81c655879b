import type { Id } from '../shared/ids.js';
import type { Position } from '../shared/pagination.js';
import type { ExifTags, Photo, PhotoWithTags } from './photo.js';
import type { PhotoFilters, PhotoQuery, PhotoSort } from './photo-query.js';

/** Photos of the bound customer, in the trash or not. */
export interface PhotoReads {
  get(id: Id): Promise<PhotoWithTags | null>;
  /** Without its tags; null also when it is in the trash, or its customer is `closing`. */
  getVisible(id: Id): Promise<Photo | null>;
  /** Those that exist, by id ascending. */
  getMany(ids: readonly Id[]): Promise<readonly PhotoWithTags[]>;
  /** Rows strictly after the window's position in the sort's total order, at most `limit`. */
  list(query: PhotoQuery): Promise<readonly PhotoWithTags[]>;
  /** Whether the list still holds, at exactly this position, the row that the position was taken from. */
  hasRowAt(filters: PhotoFilters, sort: PhotoSort, position: Position): Promise<boolean>;
  /** Photos with these hashes; of several with one hash, the one with the lowest `dupSeq`. */
  findBySha256(sha256: readonly string[]): Promise<readonly Photo[]>;
  exif(id: Id): Promise<ExifTags | null>;
  /** How many photos, in the trash or not, have one of these tags; `limit` when there are more. */
  countTagged(tagIds: readonly Id[], limit: number): Promise<number>;
  /**
   * Ids over `after`, ascending, at most `limit`, of photos whose `purgeAt` has come; but not those that an item of an open
   * or processing import is a duplicate of, for these may be restored when it is published.
   */
  toPurge(at: Date, after: Id | null, limit: number): Promise<readonly Id[]>;
  /** Whether an item of an open or processing import is a duplicate of the photo. */
  isAwaited(id: Id): Promise<boolean>;
}

/** A photo that is to be stored, with what belongs to it. */
export interface NewPhoto {
  readonly photo: Photo;
  readonly tagIds: readonly Id[];
  readonly exif: ExifTags;
}

/** In all writes the `photoCount` of the tags concerned follows in the same transaction. */
export interface PhotoRepository extends PhotoReads {
  /** Reads and holds them until the transaction ends, in ascending order of ids. Missing ones are absent from the answer. */
  lock(ids: readonly Id[]): Promise<readonly PhotoWithTags[]>;
  /** `lock(ids)`, and with them, in one ascending order, every photo that has one of the tags. Answers the named ones only. */
  lockTagged(tagIds: readonly Id[], ids: readonly Id[]): Promise<readonly PhotoWithTags[]>;
  /** False, and nothing stored, when the customer has a photo with this sha256 and dupSeq. Tag ids that do not exist are passed over. */
  insert(photo: Photo, tagIds: readonly Id[], exif: ExifTags): Promise<boolean>;
  /** The same for many: answers the ids of those that were stored, in no order. Of several with one sha256 and dupSeq one is. */
  insertMany(additions: readonly NewPhoto[]): Promise<readonly Id[]>;
  /** The next `dupSeq` for a deliberate duplicate: over 0, unique per customer and hash. */
  nextDupSeq(): Promise<number>;
  /** Stores every field of the photo itself. It must be locked. */
  update(photo: Photo): Promise<void>;
  /** Replaces the set of tags. The photo must be locked, the tags must exist. */
  setTags(id: Id, tagIds: readonly Id[]): Promise<void>;
  /** Removes the photo, its links and its EXIF. */
  delete(id: Id): Promise<void>;
}
