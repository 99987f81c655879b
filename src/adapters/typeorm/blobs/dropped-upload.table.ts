import type { Id } from '../../../core/shared/ids.js';
import { key, tableOf } from '../database/columns.js';

/** An upload whose staged bytes nobody needs any more. */
export interface DroppedUpload {
  readonly customerId: Id;
  readonly importId: Id;
  readonly uploadId: number;
}

export const droppedUploadTable = tableOf<DroppedUpload>('droppedUpload', 'dropped_uploads', {
  customerId: key,
  importId: key,
  uploadId: key,
});
