import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { PageWindow } from '../shared/pagination.js';
import type { CountedImport, Import, ImportStatus, NewImport, OldEnough } from './import.js';
import type { ImportPhoto, ImportPhotoStatus } from './import-photo.js';

/** Imports of the bound customer. */
export interface ImportReads {
  /** Null when missing or another customer's. */
  find(id: Id): Promise<Import | null>;
  /** The same with counts taken from the current rows: one pass over the import's items. Deleted items count in their last state. */
  get(id: Id): Promise<CountedImport | null>;
  findOpenByClientRef(clientRef: string): Promise<CountedImport | null>;
  /** By id descending, each counted as by `get`. */
  list(query: ImportQuery): Promise<readonly CountedImport[]>;
  /** Imports that are `open`. */
  countOpen(): Promise<number>;
  /** Ids of open imports whose `expiresAt` has passed, at most `limit`. */
  expired(at: Date, limit: number): Promise<readonly Id[]>;
  /** Ids of open imports whose `expiresAt` is later than this: after `after`, ascending, at most `limit`. */
  endingAfter(at: Date, window: { readonly after: Id | null; readonly limit: number }): Promise<readonly Id[]>;
  /** Ids of ended imports that are old enough to be deleted, or that have items that are; at most `limit`. */
  toForget(old: OldEnough, limit: number): Promise<readonly Id[]>;
}

export interface ImportQuery {
  /** Absent: all. */
  readonly statuses?: readonly ImportStatus[];
  /** By id descending. */
  readonly window: PageWindow;
}

export interface ImportRepository extends ImportReads {
  /** Reads it and locks it until the transaction ends: others that lock it wait. Always taken before its items. */
  lock(id: Id): Promise<Import | null>;
  /** Reads it and keeps it unchanged until the transaction ends: others that lock it wait, others that share it do not. */
  share(id: Id): Promise<Import | null>;
  /** Stores it under a new id. Null, and nothing stored, when an open import has this clientRef. */
  insert(subject: NewImport): Promise<Import | null>;
  /** Stores every field. The row must be locked. */
  update(subject: Import): Promise<void>;
  /**
   * Permanently deletes at most `limit` of its items, and stores atomically how many they were in which state, and their bytes. True once
   * none is left: `toForget` no longer returns items of it. The import must be locked, and have ended.
   */
  forgetItems(id: Id, limit: number): Promise<boolean>;
  /** Deletes it and everything that belonged to it. Its photos remain and keep referring to it: its id is never reused. It must be locked. */
  forget(id: Id): Promise<void>;
}

export interface ItemQuery {
  readonly importId: Id;
  /** Absent: all. */
  readonly statuses?: readonly ImportPhotoStatus[];
  /** By id ascending. */
  readonly window: PageWindow;
}

/** Items of the bound customer's imports. */
export interface ImportPhotoReads {
  /** Null also when the item belongs to another import. */
  get(importId: Id, id: Id): Promise<ImportPhoto | null>;
  list(query: ItemQuery): Promise<readonly ImportPhoto[]>;
  /** Returns the items of the import that exist, by id ascending. */
  getMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]>;
  findByClientRefs(importId: Id, clientRefs: readonly string[]): Promise<readonly ImportPhoto[]>;
  /** Items of the import with these hashes that are not cancelled, by id ascending. */
  findBySha256(importId: Id, sha256: readonly string[]): Promise<readonly ImportPhoto[]>;
  count(importId: Id): Promise<number>;
  /** The number of these items that are in one of these states. */
  countIn(importId: Id, statuses: readonly ImportPhotoStatus[]): Promise<number>;
  /** Items of any import that rely on bytes (`processing`, `ready`), with ids after `after`, ascending, at most `limit`. */
  withBytes(after: Id | null, limit: number): Promise<readonly ImportPhoto[]>;
  /** The time of the last change to an item of the import; null when it has none. */
  lastChange(importId: Id): Promise<Date | null>;
}

export interface ImportPhotoRepository extends ImportPhotoReads {
  /** Reads it and locks it until the transaction ends. */
  lock(importId: Id, id: Id): Promise<ImportPhoto | null>;
  /** The same for those of the import that exist, by id ascending. */
  lockMany(importId: Id, ids: readonly Id[]): Promise<readonly ImportPhoto[]>;
  /** New ids from the sequence of photos, ascending; never reused, even if the transaction is rolled back. */
  allocateIds(count: number): Promise<readonly Id[]>;
  /** The import must be locked. `clientRef` is unique in an import. */
  insert(items: readonly ImportPhoto[]): Promise<void>;
  /** Stores every field of each. The items, or their imports, must be locked. */
  update(...items: readonly ImportPhoto[]): Promise<void>;
  /**
   * Fails every item that is `awaiting_upload` with `error`, and with `ofDuplicates` every `duplicate` of one that has failed. The import
   * must be locked. The number of statements does not depend on the number of items: an import can have ten thousand.
   */
  failWaiting(importId: Id, error: ItemError, ofDuplicates: ItemError, at: Date): Promise<void>;
  /** Cancels every item of the import that has not ended (`imported` and `cancelled` stay). */
  cancelAll(importId: Id, at: Date): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly imports: ImportReads;
    readonly importPhotos: ImportPhotoReads;
  }
  interface Repositories {
    readonly imports: ImportRepository;
    readonly importPhotos: ImportPhotoRepository;
  }
}
