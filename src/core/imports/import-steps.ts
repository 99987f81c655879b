import type { KnownKey } from '../access/api-key.js';
import type { Measure } from '../blobs/blob-bytes.js';
import type { PictureFacts } from '../media/media-reader.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { ImportPhoto } from './import-photo.js';
import type { UploadGrant } from './target.js';

/**
 * The steps that thousands of files need at the same time. Each call is for one file. Whether files of an import share a statement or a
 * transaction is up to the implementation: each call has a result of its own, what it finds is never older than the call, and the error of one
 * call does not affect the others. Errors of every method: `service_unavailable`.
 */
export interface ImportSteps {
  /** A key as it is now, or null. */
  findKey(id: Id): Promise<KnownKey | null>;
  /** An item as it is now, or null. */
  readItem(customerId: Id, importId: Id, id: Id): Promise<ImportPhoto | null>;
  /**
   * Stages the bytes of an item, records that they are here, and requests their inspection, as `receiveStagedBytes` decides. Other uploads of the
   * import may wait for this one, for a moment, once its last byte has arrived. Errors: also those of `stage`.
   */
  receive(grant: StagedUpload['grant'], stage: StageBytes): Promise<ReceivedUpload>;
  /**
   * Returns the result of `inspection`, which applies what it finds by the function that it is given. Inspections of the import that have
   * finished may wait for this one, for a moment; they do not wait once it has ended.
   */
  inspecting<T>(item: ImportPhoto, inspection: (apply: ApplyResult) => Promise<T>): Promise<T>;
  /** Stores what was found, as `applyResults` decides. */
  apply: ApplyResult;
}

/** Stages bytes, and calls `hasArrived` when only storing them is left. */
export type StageBytes = (hasArrived: () => void) => Promise<Omit<StagedUpload, 'grant'>>;

/** Bytes that are staged under their own upload id. */
export interface StagedUpload {
  readonly grant: Pick<UploadGrant, 'customerId' | 'importId' | 'itemId' | 'uploadId'>;
  readonly measure: Measure;
  readonly uploadId: number;
}

/** Whether the item relies on the bytes from now on. Unless they are `taken`, nothing was changed. */
export interface ReceivedUpload {
  readonly became: 'taken' | 'removed' | 'unused';
  /** The item as it is; null if there is no such item. */
  readonly item: ImportPhoto | null;
}

export type ApplyResult = (result: InspectionResult) => Promise<AppliedResult>;

/** The outcome of an inspection of a `processing` item's bytes. */
export type InspectionResult = { readonly item: ImportPhoto } & (
  | { readonly error: ItemError }
  | { readonly error: null; readonly facts: PictureFacts; readonly measure: Pick<Measure, 'sizeBytes' | 'sha256'> }
);

/**
 * Whether the item relies on the copied bytes; `decided`: the item has changed since it was inspected, and nothing of the result was
 * stored.
 */
export type AppliedResult = 'used' | 'unused' | 'decided';
