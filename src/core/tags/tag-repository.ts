import type { Id } from '../shared/ids.js';
import type { Position } from '../shared/page.js';
import type { NewTag, Tag } from './tag.js';
import type { TagFilters, TagQuery, TagSort } from './tag-query.js';

/** Tags of the bound customer. */
export interface TagReads {
  get(id: Id): Promise<Tag | null>;
  /** Those that exist, by id ascending. */
  getMany(ids: readonly Id[]): Promise<readonly Tag[]>;
  list(query: TagQuery): Promise<readonly Tag[]>;
  unmoved(filters: TagFilters, sort: TagSort, position: Position): Promise<boolean>;
  findByNameKeys(nameKeys: readonly string[]): Promise<readonly Tag[]>;
  /** Tags of one photo, by name key, then id. */
  ofPhoto(photoId: Id): Promise<readonly Tag[]>;
  count(): Promise<number>;
}

export interface TagRepository extends TagReads {
  /** Reads and holds them until the transaction ends, in ascending order of ids. */
  lock(ids: readonly Id[]): Promise<readonly Tag[]>;
  /** Stores it under a new id. Null, and nothing stored, when the name key is taken. */
  insert(tag: NewTag): Promise<Tag | null>;
  /** Stores name, color, description, updatedAt and version; `photoCount` is never taken from here. False, and nothing changed, when the name key is another tag's. */
  update(tag: Tag): Promise<boolean>;
  /** Removes the tag from its photos, whose `version` rises and `updatedAt` becomes `at`, and then the tag. */
  delete(id: Id, at: Date): Promise<void>;
}
