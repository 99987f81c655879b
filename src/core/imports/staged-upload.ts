import type { Measure } from '../blobs/measure.js';
import { type ImportPhoto } from './import-photo.js';
import type { UploadGrant } from './upload-target.js';

/** Bytes that are staged under their own upload id. */
export interface StagedUpload {
  readonly grant: Pick<UploadGrant, 'customerId' | 'importId' | 'itemId' | 'uploadId'>;
  readonly measure: Measure;
  readonly uploadId: number;
}

export type TracedUpload = StagedUpload & { readonly traceContext: string | null };

export interface ReceivedUpload {
  readonly became: 'taken' | 'removed' | 'unused';
  /** Null if there is no such item. */
  readonly item: ImportPhoto | null;
}
