import type { Id } from '../shared/ids.js';
import type { BulkChange, BulkEdit, NewBulkEdit } from './bulk-edit.js';

/** Bulk edits of the bound customer. */
export interface BulkEditReads {
  get(id: Id): Promise<BulkEdit | null>;
  /** Newest first: those with ids below `before` (null: from the newest), at most `limit`. */
  list(before: Id | null, limit: number): Promise<readonly BulkEdit[]>;
  /** Returns the edits in progress, oldest first. */
  active(): Promise<readonly BulkEdit[]>;
  /** The photos that were chosen for an edit: ids after `after`, ascending, at most `limit`. */
  chosenPhotos(id: Id, after: Id | null, limit: number): Promise<readonly Id[]>;
  /** Returns what an edit has done: by photo id ascending, after `after`, at most `limit`. */
  changes(id: Id, after: Id | null, limit: number): Promise<readonly BulkChange[]>;
}

export interface BulkEditRepository extends BulkEditReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<BulkEdit | null>;
  /** Stores it under a new id, running, without any photo processed. */
  insert(edit: NewBulkEdit, photoIds: readonly Id[]): Promise<BulkEdit>;
  /** Stores every field but those of `NewBulkEdit`. It must be locked. */
  update(edit: BulkEdit): Promise<void>;
  /** Adds changes of photos that have none by this edit yet. */
  addChanges(id: Id, changes: readonly BulkChange[]): Promise<void>;
  /**
   * Deletes at most `limit` changes of edits that were created before this time, and those edits that have none left. True when nothing is
   * left.
   */
  forget(before: Date, limit: number): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly bulkEdits: BulkEditReads;
  }
  interface Repositories {
    readonly bulkEdits: BulkEditRepository;
  }
}
