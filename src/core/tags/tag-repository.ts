import type { Id } from '../shared/ids.js';
import type { Position } from '../shared/pagination.js';
import type { NewTag, Tag, TagFilters, TagName, TagQuery, TagSort } from './tag.js';

/** Tags of the bound customer. */
export interface TagReads {
  get(id: Id): Promise<Tag | null>;
  /** Returns the tags that exist, by id ascending. */
  getMany(ids: readonly Id[]): Promise<readonly Tag[]>;
  list(query: TagQuery): Promise<readonly Tag[]>;
  hasRowAt(filters: TagFilters, sort: TagSort, position: Position): Promise<boolean>;
  findByNameKeys(nameKeys: readonly string[]): Promise<readonly Tag[]>;
  /** Tags of one photo, by name key, then id. */
  ofPhoto(photoId: Id): Promise<readonly Tag[]>;
  count(): Promise<number>;
  /** Deleted tags (tombstones) whose photos may not all have their new version yet, by id ascending. */
  tombstones(): Promise<readonly Id[]>;
  /** Returns the counts of tags with ids after `after`, ascending, at most `limit`. */
  photoCounts(after: Id | null, limit: number): Promise<readonly TagCount[]>;
}

/** The stored and the counted number of a tag's photos, in one snapshot. */
export interface TagCount {
  readonly id: Id;
  /** Its `photoCount`; null when that is lost. */
  readonly stored: number | null;
  readonly counted: number;
}

/** The effects of a merge on photos. Numbers are of those outside the trash. */
export interface MergedPhotos {
  /** The ids of photos that got a new version, in no order. */
  readonly changed: readonly Id[];
  /** They did not have the remaining tag. */
  readonly added: number;
  /** They had it in addition to the merged one. */
  readonly unchanged: number;
}

/** The photos that got a new version, and how far they were checked. */
export interface BumpedPhotos {
  readonly changed: readonly Id[];
  readonly last: Id | null;
}

/**
 * All writes update `photoCount`. Photos that change get one new version with `updatedAt` `at`, in the trash or not; their ids are returned,
 * in no order, for the caller to announce (`announcePhotos`).
 */
export interface TagRepository extends TagReads {
  /** Reads and locks them until the transaction ends, in ascending order of ids. */
  lock(ids: readonly Id[]): Promise<readonly Tag[]>;
  /** Stores it under a new id. Null, with nothing stored, when the name key is taken. */
  insert(tag: NewTag): Promise<Tag | null>;
  /**
   * Stores name, color, description, updatedAt and version; `photoCount` is never taken from here. False, with nothing changed, when
   * another tag has the name key.
   */
  update(tag: Tag): Promise<boolean>;
  /**
   * Removes the tag from its photos, and then the tag; the tag must be locked. The photos get one new version with `updatedAt` `at`. If
   * `at` is null they do not: then the tag leaves a tombstone, and its photos are left for `bumpVersions`.
   */
  delete(id: Id, at: Date | null): Promise<readonly Id[]>;
  /** Adds the tag to photos. Those that have it are unchanged, missing ones are ignored. The tag and the photos must be locked. */
  attach(id: Id, photoIds: readonly Id[], at: Date): Promise<readonly Id[]>;
  /** Removes all these tags from photos. Those that have none of them are unchanged, missing ones are ignored. The photos must be locked. */
  detach(ids: readonly Id[], photoIds: readonly Id[], at: Date): Promise<readonly Id[]>;
  /** Recounts the photos of a tag; waits for transactions that are changing that number. */
  recount(id: Id): Promise<void>;
  /**
   * Replaces the tags `from` by `into` on all their photos, and deletes them, with `at` as for `delete`. All tags must be locked; waits for
   * locked photos.
   */
  merge(from: readonly Id[], into: Id, at: Date | null): Promise<MergedPhotos>;
  /**
   * Checks `limit` photos by id after `after`: those that had one of these tombstones' tags, and that no `update` has stored since, get a
   * new version with `updatedAt` `at`. `last`: the last id checked, null when there are no more.
   */
  bumpVersions(tombstones: readonly Id[], after: Id, limit: number, at: Date): Promise<BumpedPhotos>;
  /** All photos of these tombstones have their new version. */
  dropTombstones(tombstones: readonly Id[]): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly tags: TagReads;
  }
  interface Repositories {
    readonly tags: TagRepository;
  }
}

/** The facts that tags know about a photo. */
export interface PhotoTags {
  readonly id: Id;
  /** Null outside the trash. */
  readonly trashedAt: Date | null;
  readonly tags: readonly TagName[];
}

/** Photos of the bound customer as things with tags. */
export interface TaggedPhotoReads {
  /** Number of photos, in the trash or not, that have one of these tags; `limit` when there are more. */
  countTagged(tagIds: readonly Id[], limit: number): Promise<number>;
}

export interface TaggedPhotoRepository extends TaggedPhotoReads {
  /** Reads and locks them until the transaction ends, in ascending order of ids. Missing ones are absent from the result. */
  lock(ids: readonly Id[]): Promise<readonly PhotoTags[]>;
  /** `lock(ids)`, and also, in one ascending order, every photo that has one of the tags. Returns only those of `ids`. */
  lockTagged(tagIds: readonly Id[], ids: readonly Id[]): Promise<readonly PhotoTags[]>;
}

/** Tags of what the bound customer has imported and not yet published. */
export interface UnpublishedTags {
  /**
   * Locks everything unpublished that has, or could get, one of these tags: every import that has not ended, and their items that have one,
   * each kind by id ascending.
   */
  lockUnpublished(tagIds: readonly Id[]): Promise<void>;
  /**
   * Replaces the tags `from` with `into`, once, in imports that have not ended and in their items. Nothing else changes, `updatedAt`
   * included: it does not count as use of the import. They must be locked by `lockUnpublished(from)`.
   */
  replaceTags(from: readonly Id[], into: Id): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly taggedPhotos: TaggedPhotoReads;
  }
  interface Repositories {
    readonly taggedPhotos: TaggedPhotoRepository;
    readonly unpublishedTags: UnpublishedTags;
  }
}
