import type { ResumableUpload } from '../../../core/imports/receive/resumable-upload.js';
import { bigWhole, document, instant, key, optionalBigWhole, tableOf } from '../database/columns.js';

export const resumableUploadTable = tableOf<ResumableUpload>('resumableUpload', 'resumable_uploads', {
  customerId: key,
  itemId: key,
  importId: bigWhole,
  uploadId: bigWhole,
  parts: document,
  sender: optionalBigWhole,
  updatedAt: instant,
});
