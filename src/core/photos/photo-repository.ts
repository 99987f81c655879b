import type { ExpectedBytes } from '../blobs/verified-blobs.js';
import type { ExifTags } from '../media/picture-metadata.js';
import type { Id } from '../shared/ids.js';
import type { Position } from '../shared/pagination.js';
import type { CountedValue, PhotoKind, ValuesRequest } from './filter-values.js';
import type { Photo, PhotoWithTags } from './photo.js';
import type { ListSort, PhotoFilters, PhotoQuery } from './photo-query.js';

/**
 * Photos of the bound customer, in the trash or not. They are values: outside of transactions the same frozen object may be returned again while
 * nothing of the photo and its tags has changed.
 */
export interface PhotoReads {
  get(id: Id): Promise<PhotoWithTags | null>;
  /** Without its tags; null also when it is in the trash, or its customer is `closing`. */
  getVisible(id: Id): Promise<Photo | null>;
  /** Returns the photos that exist, by id ascending. */
  getMany(ids: readonly Id[]): Promise<readonly PhotoWithTags[]>;
  /** Rows strictly after the window's position in the sort's total order, at most `limit`. */
  list(query: PhotoQuery): Promise<readonly PhotoWithTags[]>;
  /** Whether the list still has, at exactly this position, the row that the position was taken from. */
  hasRowAt(filters: PhotoFilters, sort: ListSort, position: Position): Promise<boolean>;
  /** Counts the photos that match; any number of them is counted, so it can take a second for a million. */
  count(filters: PhotoFilters): Promise<number>;
  /**
   * Returns how many photos outside the trash were taken from each of these instants, ascending, until the next one; of each, `most` are counted at
   * most. Takes time proportional to what is counted, not to the number of photos.
   */
  countTakenBetween(instants: readonly Date[], most: number): Promise<readonly number[]>;
  /** The kinds of photos that there are, in no order. */
  kinds(request: ValuesRequest): Promise<readonly PhotoKind[]>;
  /** The cameras that photos were taken with, make and model, in no order. */
  cameras(request: ValuesRequest): Promise<readonly CountedValue[]>;
  /** The lenses that photos were taken with, as cameras write them, in no order. */
  lenses(request: ValuesRequest): Promise<readonly CountedValue[]>;
  /** The codes of the countries in which photos were taken, in no order. */
  countries(request: ValuesRequest): Promise<readonly CountedValue[]>;
  /** Photos with these hashes; of several with one hash, the one with the lowest `dupSeq`. */
  findBySha256(sha256: readonly string[]): Promise<readonly Photo[]>;
  exif(id: Id): Promise<ExifTags | null>;
  /**
   * Ids after `after`, ascending, at most `limit`, of photos whose `purgeAt` has passed; except those that an item of an open or processing
   * import is a duplicate of, because they may be restored when it is published.
   */
  toPurge(at: Date, after: Id | null, limit: number): Promise<readonly Id[]>;
  /** Whether an item of an open or processing import is a duplicate of the photo. */
  isAwaited(id: Id): Promise<boolean>;
}

/** A photo to be stored, with everything that belongs to it. */
export interface NewPhoto {
  readonly photo: Photo;
  readonly tagIds: readonly Id[];
  readonly exif: ExifTags;
}

/** All writes update the `photoCount` of the affected tags in the same transaction. */
export interface PhotoRepository extends PhotoReads {
  /** Reads and locks them until the transaction ends, in ascending order of ids. Missing ones are absent from the result. */
  lock(ids: readonly Id[]): Promise<readonly PhotoWithTags[]>;
  /** False, with nothing stored, when the customer has a photo with this sha256 and dupSeq. Tag ids that do not exist are ignored. */
  insert(photo: Photo, tagIds: readonly Id[], exif: ExifTags): Promise<boolean>;
  /** The same for many: returns the ids of those that were stored, in no order. Of several with the same sha256 and dupSeq, one is stored. */
  insertMany(additions: readonly NewPhoto[]): Promise<readonly Id[]>;
  /** The next `dupSeq` for a deliberate duplicate: above 0, unique per customer and hash. */
  nextDupSeq(): Promise<number>;
  /** Stores every field of the photo itself. It must be locked. */
  update(photo: Photo): Promise<void>;
  /** From now on these are the bytes of its thumb (`Photo.thumb`). No new version, and nothing happens when there is no such photo. */
  setThumb(id: Id, thumb: ExpectedBytes): Promise<void>;
  /** Replaces the set of tags. The photo must be locked, the tags must exist. */
  setTags(id: Id, tagIds: readonly Id[]): Promise<void>;
  /** Removes the photo, its links and its EXIF. */
  delete(id: Id): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly photos: PhotoReads;
  }
  interface Repositories {
    readonly photos: PhotoRepository;
  }
}
