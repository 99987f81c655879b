import type { Clock } from '../shared/clock.js';
import { DomainError, isOutage } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { newUploadId } from './import-photo.js';
import { requireStagedBytes } from './require-staged-bytes.js';
import { partKeys, type ResumableUpload, type UploadPart } from './resumable-upload.js';
import type { StageUses } from './stage-upload.js';
import { replaced, type UploadSlots } from './upload-slots.js';

export type PartsUses = StageUses & {
  store: Transactional<'importPhotos' | 'blobOwners' | 'resumableUploads'>;
  clock: Clock;
  uploads: UploadSlots;
};

/** Stores bytes of an upload as a blob of their own, which belongs to nothing yet. */
export async function storePart(
  { blobs }: PartsUses,
  upload: ResumableUpload,
  bytes: AsyncIterable<Uint8Array>,
): Promise<UploadPart> {
  const uploadId = newUploadId();
  const [key] = partKeys({ ...upload, parts: [{ uploadId, sizeBytes: 0 }] });
  if (key === undefined) throw new Error('A part has one key.');
  const { sizeBytes } = await blobs.put(key, bytes);
  return { uploadId, sizeBytes };
}

/**
 * Makes parts those of an upload.
 * @param added Those of `parts` that were stored for this.
 */
export async function replaceParts(
  uses: PartsUses,
  upload: ResumableUpload,
  parts: readonly UploadPart[],
  added: readonly UploadPart[],
  isLast: boolean,
): Promise<ResumableUpload> {
  const { customerId, importId, itemId } = upload;
  try {
    return await uses.store.transaction(customerId, async (transaction) => {
      await transaction.importPhotos.lock(importId, itemId);
      const uploadIds = added.map(({ uploadId }) => uploadId);
      await requireStagedBytes(transaction, importId, uploadIds);
      if ((await transaction.resumableUploads.get(itemId))?.sender !== upload.sender) throw replaced();
      const next = { ...upload, parts, sender: isLast ? null : upload.sender, updatedAt: uses.clock.now() };
      await transaction.resumableUploads.put(next);
      return next;
    });
  } catch (error) {
    // If the database's response was lost, the upload may have them: then they remain.
    if (!isOutage(error)) await uses.blobs.delete(partKeys({ ...upload, parts: added }));
    throw error;
  }
}

/** Removes an upload; its parts remain. */
export function forget({ store }: PartsUses, { customerId, importId, itemId, sender }: ResumableUpload): Promise<void> {
  return store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    await importPhotos.lock(importId, itemId);
    if ((await resumableUploads.get(itemId))?.sender === sender) await resumableUploads.delete(itemId);
  });
}

/** The bytes of all parts. Errors: `service_unavailable` if a part is missing; the upload then begins anew. */
export async function* bytesOf(uses: PartsUses, upload: ResumableUpload): AsyncGenerator<Uint8Array, void, void> {
  for (const key of partKeys(upload)) {
    const part = await uses.blobs.get(key);
    if (part === null) {
      await forget(uses, upload);
      throw new DomainError(
        'service_unavailable',
        'Bytes of this upload were lost. Ask for the offset, and go on from there.',
      );
    }
    for await (const chunk of part.bytes) {
      yield chunk;
      part.release?.(chunk);
    }
  }
}
