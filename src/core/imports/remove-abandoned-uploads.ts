import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { waitsFor } from './import-photo.js';
import { abandonedUntil, partKeys, type ResumableUpload } from './resumable-upload.js';

const BATCH = 100;

type RemoveUses = {
  store: Transactional<'importPhotos' | 'resumableUploads'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

/**
 * Removes resumable uploads of all customers that nothing was added to for a day, or that their items no longer wait for, with their bytes.
 * May run in several processes at once and be stopped at any time: the next run continues.
 */
export function removeAbandonedUploads(uses: RemoveUses, stopping?: AbortSignal): Promise<void> {
  const until = abandonedUntil(uses.clock.now());
  return forEachCustomer(
    (window) => uses.customers.withAbandonedUploads(until, window),
    (customerId) => removeThoseOf(uses, customerId, until, stopping),
    stopping,
  );
}

async function removeThoseOf(uses: RemoveUses, customerId: Id, until: Date, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const uploads = await uses.store.query(customerId, (reader) => reader.resumableUploads.abandoned(until, BATCH));
    for (const upload of uploads) {
      if (stopping?.aborted) return;
      await removeUnlessUsed(uses, upload, until);
    }
    // None of these is found again: it is gone, or was used.
    if (uploads.length < BATCH) return;
  }
}

/** The row first: blobs that are left if this process dies are unowned, and are removed like any others. */
async function removeUnlessUsed({ store, blobs }: RemoveUses, seen: ResumableUpload, until: Date): Promise<void> {
  const { customerId, importId, itemId } = seen;
  const removed = await store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    const item = await importPhotos.lock(importId, itemId);
    const upload = await resumableUploads.get(itemId);
    const isWaiting = upload !== null && waitsFor(item, upload);
    if (upload === null || (isWaiting && upload.updatedAt.getTime() > until.getTime())) return null;
    await resumableUploads.delete(itemId);
    return upload;
  });
  if (removed !== null) await blobs.delete(partKeys(removed));
}
