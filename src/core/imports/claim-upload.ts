import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { newUploadId } from './import-photo.js';
import type { GrantUses } from './require-upload-grant.js';
import { offsetOf, type ResumableUpload } from './resumable-upload.js';
import type { PartsUses } from './upload-parts.js';
import { currentUpload } from './upload-progress.js';
import { inProgress } from './upload-slots.js';
import type { UploadGrant } from './upload-target.js';

export type ClaimUses = {
  store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
  clock: Clock;
};

/**
 * The upload, which nobody but this request adds to from now on. Errors: `upload_offset_mismatch`, `upload_in_progress`; those of
 * `currentUpload`.
 */
export function claimUpload(
  uses: GrantUses & PartsUses & ClaimUses,
  grant: UploadGrant,
  offset: number,
): Promise<ResumableUpload> {
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

/** Errors: `upload_offset_mismatch`. */
export function requireOffset(offset: number, stored: number): void {
  if (offset !== stored) throw offsetMismatch(offset, stored);
}

function offsetMismatch(offset: number, stored: number): DomainError {
  const message = `${stored} bytes are stored, but the request begins at byte ${offset}. Ask for the offset, and go on from there.`;
  return new DomainError('upload_offset_mismatch', message, { offset: stored });
}
