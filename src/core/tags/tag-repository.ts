import type { Id } from '../shared/ids.js';
import type { Position } from '../shared/pagination.js';
import type { NewTag, Tag } from './tag.js';
import type { TagFilters, TagQuery, TagSort } from './tag-query.js';

/** Tags of the bound customer. */
export interface TagReads {
  get(id: Id): Promise<Tag | null>;
  /** Those that exist, by id ascending. */
  getMany(ids: readonly Id[]): Promise<readonly Tag[]>;
  list(query: TagQuery): Promise<readonly Tag[]>;
  hasRowAt(filters: TagFilters, sort: TagSort, position: Position): Promise<boolean>;
  findByNameKeys(nameKeys: readonly string[]): Promise<readonly Tag[]>;
  /** Tags of one photo, by name key, then id. */
  ofPhoto(photoId: Id): Promise<readonly Tag[]>;
  count(): Promise<number>;
  /** Tags that are gone while some of the photos that had them may not have their new version yet, by id ascending. */
  tombstones(): Promise<readonly Id[]>;
  /** Of tags with ids over `after`, ascending, at most `limit`. */
  photoCounts(after: Id | null, limit: number): Promise<readonly TagCount[]>;
}

/** What is kept of a tag, and what there is, of one moment. */
export interface TagCount {
  readonly id: Id;
  /** Its `photoCount`; null when that is lost. */
  readonly stored: number | null;
  readonly counted: number;
}

/** How many photos outside the trash a merge was about. */
export interface MergedPhotos {
  /** They did not have the tag that stays. */
  readonly added: number;
  /** They had it beside the one that went. */
  readonly unchanged: number;
}

/**
 * In all writes `photoCount` follows. Photos that change get one new version with `updatedAt` `at`, in the trash or not, and each
 * its event `photo.updated`.
 */
export interface TagRepository extends TagReads {
  /** Reads and holds them until the transaction ends, in ascending order of ids. */
  lock(ids: readonly Id[]): Promise<readonly Tag[]>;
  /** Stores it under a new id. Null, and nothing stored, when the name key is taken. */
  insert(tag: NewTag): Promise<Tag | null>;
  /** Stores name, color, description, updatedAt and version; `photoCount` is never taken from here. False, and nothing changed, when the name key is another tag's. */
  update(tag: Tag): Promise<boolean>;
  /**
   * Removes the tag from its photos, and then the tag; the tag must be locked. The photos get one new version with `updatedAt`
   * `at`. Where `at` is null they do not: then the tag has departed, and its photos are left for `bumpVersions`.
   */
  delete(id: Id, at: Date | null): Promise<void>;
  /** Gives the tag to photos. Those that have it stay as they are, missing ones are passed over. The tag and the photos must be locked. */
  attach(id: Id, photoIds: readonly Id[], at: Date): Promise<void>;
  /** Takes all these tags off photos. Those that have none of them stay as they are, missing ones are passed over. The photos must be locked. */
  detach(ids: readonly Id[], photoIds: readonly Id[], at: Date): Promise<void>;
  /** Counts the photos of a tag anew; whoever is just changing that number is waited for. */
  recount(id: Id): Promise<void>;
  /**
   * Every photo of the tags `from` gets `into` in their place, and they are deleted, with `at` as for `delete`. All tags must be
   * locked; photos that are not are waited for.
   */
  merge(from: readonly Id[], into: Id, at: Date | null): Promise<MergedPhotos>;
  /**
   * Looks at `limit` photos by id over `after`: those that one of these departed tags has left, and that no `update` has stored
   * since, get a new version with `updatedAt` `at`, and its event. Answers the last id that it looked at, null when there are none behind.
   */
  bumpVersions(tombstones: readonly Id[], after: Id, limit: number, at: Date): Promise<Id | null>;
  /** No photo is left to be renewed for these. */
  dropTombstones(tombstones: readonly Id[]): Promise<void>;
}
