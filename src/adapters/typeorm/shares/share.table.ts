import type { Share } from '../../../core/shares/share.js';
import {
  bigWhole,
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  optionalText,
  tableOf,
  text,
  whole,
  yesOrNo,
} from '../database/columns.js';

export const shareTable = tableOf<Share>('share', 'shares', {
  customerId: key,
  id: generatedKey,
  tokenHash: text,
  token: text,
  title: text,
  tagId: optionalBigWhole,
  photoIds: { type: 'bigint', array: true },
  mayDownload: yesOrNo,
  uploadFilesLimit: whole,
  uploadBytesLimit: bigWhole,
  uploadedFiles: whole,
  uploadedBytes: bigWhole,
  passwordHash: optionalText,
  expiresAt: optionalInstant,
  visits: whole,
  lastVisitedAt: optionalInstant,
  createdAt: instant,
});
