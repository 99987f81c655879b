import type { Id } from '../shared/ids.js';
import type { ResumableUpload } from './resumable-upload.js';

/** Resumable uploads of the bound customer. */
export interface ResumableUploadReads {
  /** Null when the item has none. */
  get(itemId: Id): Promise<ResumableUpload | null>;
  /** Those that were last changed at `until` or before, or whose item no longer waits for this upload; at most `limit`. */
  abandoned(until: Date, limit: number): Promise<readonly ResumableUpload[]>;
}

export interface ResumableUploadRepository extends ResumableUploadReads {
  /** Stores every field, in place of what the item had. The item must be locked; deleting it deletes its upload. */
  put(upload: ResumableUpload): Promise<void>;
  /** Nothing happens when there is none. The item must be locked, if it exists. */
  delete(itemId: Id): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly resumableUploads: ResumableUploadReads;
  }
  interface Repositories {
    readonly resumableUploads: ResumableUploadRepository;
  }
}
