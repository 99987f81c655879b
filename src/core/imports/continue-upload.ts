import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { tooLong, type Upload } from './declared-bytes.js';
import { isAwaited, newUploadId } from './import-photo.js';
import { PartReader } from './part-reader.js';
import { receiveParts } from './receive-parts.js';
import { requireDiskSpace } from './require-disk-space.js';
import { type GrantUses, requireUploadItem } from './require-upload-grant.js';
import { offsetOf, type ResumableUpload } from './resumable-upload.js';
import type { PartsUses } from './upload-parts.js';
import { currentUpload, progressOf, requireReceived, type UploadProgress } from './upload-progress.js';
import { inProgress, type UploadSlots } from './upload-slots.js';
import type { UploadGrant } from './upload-target.js';

export type ContinueUses = GrantUses &
  PartsUses & {
    store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
    clock: Clock;
    uploads: UploadSlots;
  };

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
  if (upload.offset + (upload.declaredBytes ?? 0) > sizeBytes) throw tooLong(grant);
  if (!isAwaited(item, grant)) {
    requireReceived(item, grant);
    requireOffset(upload.offset, sizeBytes);
    return progressOf(grant, sizeBytes);
  }
  if (upload.isGone?.()) throw new DomainError('request_timeout', 'The client disconnected.');
  let received = upload.offset;
  const slot = uses.uploads.take({ ...grant, remaining: () => sizeBytes - received, isResumable: true });
  const reader = new PartReader(slot.guarded(upload.bytes), uses.clock);
  try {
    await requireDiskSpace(uses, 0);
    const claimed = await claim(uses, grant, upload.offset);
    const offset = await receiveParts(uses, { grant, reader, upload: claimed }, (stored) => {
      received = stored;
    });
    return progressOf(grant, offset);
  } finally {
    reader.close();
    slot.close();
  }
}

/** The upload, which nobody but this request adds to from now on. */
function claim(uses: ContinueUses, grant: UploadGrant, offset: number): Promise<ResumableUpload> {
  return uses.store.transaction(grant.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(grant.importId, grant.itemId);
    const known = await currentUpload(uses, transaction, grant, item);
    // If it no longer waits, whoever asks for the offset is told why.
    if (known === null) throw offsetMismatch(offset, grant.sizeBytes);
    if (known.sender !== null) throw inProgress();
    requireOffset(offset, offsetOf(known));
    const claimed = { ...known, sender: newUploadId(), updatedAt: uses.clock.now() };
    await transaction.resumableUploads.put(claimed);
    return claimed;
  });
}

function requireOffset(offset: number, stored: number): void {
  if (offset !== stored) throw offsetMismatch(offset, stored);
}

function offsetMismatch(offset: number, stored: number): DomainError {
  const message = `${stored} bytes are stored, but the request begins at byte ${offset}. Ask for the offset, and go on from there.`;
  return new DomainError('upload_offset_mismatch', message, { offset: stored });
}
