import { type BlobKey, stagingKey } from '../../blobs/blob-key.js';
import { after, HOUR } from '../../shared/clock.js';
import type { Id } from '../../shared/ids.js';
import type { ImportPhoto } from '../import-photo.js';

/** An unfinished upload is removed when nothing has been added to it for so long. */
const MAX_SILENCE = 24 * HOUR;

/** Parts of an upload; when there are more, they become one. */
export const MAX_PARTS = 500;

/** Stored bytes of a file, under an upload id of their own. */
export interface UploadPart {
  readonly uploadId: number;
  readonly sizeBytes: number;
}

/** The bytes of an item that arrive in several requests, until they are all there. */
export interface ResumableUpload {
  readonly customerId: Id;
  readonly itemId: Id;
  readonly importId: Id;
  /** The upload of the item that the bytes are for. When the item gets another one, they are worth nothing. */
  readonly uploadId: number;
  /** In the order of the file, without gaps. They never change. */
  readonly parts: readonly UploadPart[];
  /** A random number of the request that is adding to it; null when none is. */
  readonly sender: number | null;
  readonly updatedAt: Date;
}

/** An upload of the item that has no bytes yet. */
export function newResumableUpload(item: ImportPhoto, at: Date): ResumableUpload {
  const { customerId, importId, id: itemId, uploadId } = item;
  return { customerId, importId, itemId, uploadId, parts: [], sender: null, updatedAt: at };
}

/** The bytes that need not be sent again. */
export function offsetOf({ parts }: Pick<ResumableUpload, 'parts'>): number {
  return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Uploads that were last added to at this time or before are removed. */
export function abandonedUntil(now: Date): Date {
  return after(now, -MAX_SILENCE);
}

export function partKeys({ parts, ...upload }: Omit<ResumableUpload, 'sender' | 'updatedAt'>): BlobKey[] {
  return parts.map(({ uploadId }) => stagingKey({ ...upload, id: upload.itemId, uploadId }));
}

/** Resumable uploads of the bound customer. */
export interface ResumableUploadReads {
  /** Null when the item has none. */
  get(itemId: Id): Promise<ResumableUpload | null>;
  /** Returns the uploads that were last changed at `until` or before, or whose item no longer waits for this upload; at most `limit`. */
  abandoned(until: Date, limit: number): Promise<readonly ResumableUpload[]>;
}

export interface ResumableUploadRepository extends ResumableUploadReads {
  /** Stores every field, in place of what the item had. The item must be locked; deleting it deletes its upload. */
  put(upload: ResumableUpload): Promise<void>;
  /** Nothing happens when there is none. The item must be locked, if it exists. */
  delete(itemId: Id): Promise<void>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly resumableUploads: ResumableUploadReads;
  }
  interface Repositories {
    readonly resumableUploads: ResumableUploadRepository;
  }
}
