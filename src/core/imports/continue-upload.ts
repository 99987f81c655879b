import { DomainError } from '../shared/errors.js';
import { type ClaimUses, claimUpload, requireOffset } from './claim-upload.js';
import { tooLong, type Upload } from './declared-bytes.js';
import { isAwaited } from './import-photo.js';
import { PartReader } from './part-reader.js';
import { receiveParts } from './receive-parts.js';
import { requireDiskSpace } from './require-disk-space.js';
import { type GrantUses, requireUploadItem } from './require-upload-grant.js';
import { offsetOf } from './resumable-upload.js';
import type { PartsUses } from './upload-parts.js';
import { currentUpload, progressOf, requireReceived, type UploadProgress } from './upload-progress.js';
import type { UploadSlots } from './upload-slots.js';

export type ContinueUses = GrantUses & PartsUses & ClaimUses & { uploads: UploadSlots };

export interface ContinuedUpload extends Upload {
  /** Where in the file `bytes` begin. */
  readonly offset: number;
}

/**
 * Receives bytes of one item from an offset on, and the item with the last of them. Bytes that have arrived are stored whatever happens
 * then, and need not be sent again for 24 hours. One request at a time; asking for the offset ends it. Errors: those of `receiveUpload`,
 * and `upload_offset_mismatch` when the stored bytes end elsewhere; after a wrong hash nothing is stored.
 */
export async function continueUpload(uses: ContinueUses, upload: ContinuedUpload): Promise<UploadProgress> {
  const { grant, item } = await requireUploadItem(uses, upload);
  const { sizeBytes } = grant;
  const isTooLong = upload.offset + (upload.declaredBytes ?? 0) > sizeBytes;
  if (!isAwaited(item, grant)) {
    requireReceived(item, grant);
    requireOffset(upload.offset, sizeBytes);
    if (isTooLong) throw tooLong(grant);
    return progressOf(grant, sizeBytes);
  }
  if (isTooLong) {
    // From another offset it may not be.
    const known = await uses.store.query(grant.customerId, (reader) => currentUpload(uses, reader, grant, item));
    requireOffset(upload.offset, known === null ? sizeBytes : offsetOf(known));
    throw tooLong(grant);
  }
  if (upload.isGone?.()) throw new DomainError('request_timeout', 'The client disconnected.');
  let received = upload.offset;
  const slot = uses.uploads.take({ ...grant, remaining: () => sizeBytes - received, isResumable: true });
  const reader = new PartReader(slot.guarded(upload.bytes), uses.clock);
  try {
    await requireDiskSpace(uses, 0);
    const claimed = await claimUpload(uses, grant, upload.offset);
    const offset = await receiveParts(uses, { grant, reader, upload: claimed }, (stored) => {
      received = stored;
    });
    return progressOf(grant, offset);
  } finally {
    reader.close();
    slot.close();
  }
}
