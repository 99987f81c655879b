import type { Id } from '../shared/ids.js';
import type { TagName } from './tag.js';

/** What tags know about a photo. */
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
