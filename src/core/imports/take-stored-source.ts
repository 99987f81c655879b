import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { type ImportPhoto, newUploadId } from './import-photo.js';
import { newResumableUpload, type ResumableUpload } from './resumable-upload.js';
import { isFetched, type LeasedFetch } from './source-fetch.js';

type TakeUses = { store: Transactional<'importPhotos' | 'resumableUploads'>; clock: Clock };

/** What earlier tries have stored, for this try to continue. */
export interface StoredSource {
  readonly item: ImportPhoto;
  /** Without a sender, unless it has parts: nobody else adds to it. */
  readonly upload: ResumableUpload;
}

/** Takes over what is stored of the file. Null when the item does not wait for the fetch any more. */
export function takeStoredSource(uses: TakeUses, leased: LeasedFetch): Promise<StoredSource | null> {
  const { customerId, importId, itemId } = leased;
  return uses.store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    const item = await importPhotos.lock(importId, itemId);
    if (!isFetched(item, leased)) return null;
    const at = uses.clock.now();
    const known = await resumableUploads.get(itemId);
    const isUsable = known?.uploadId === leased.uploadId && leased.validator !== null;
    const upload = { ...(isUsable ? known : newResumableUpload(item, at)), sender: newUploadId(), updatedAt: at };
    // Whoever added to it before is presumed dead, and adds nothing any more.
    if (known !== null) await resumableUploads.put(upload);
    return { item, upload };
  });
}
