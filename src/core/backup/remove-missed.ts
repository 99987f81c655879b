import { failItem } from '../imports/fail-item.js';
import { bytesMissing } from '../imports/staged-picture.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import type { MissedBlob } from './blob-backup.js';

/**
 * Adapts restored rows to the blobs of their backup: photos that were deleted while the backup was made are deleted, items without bytes
 * fail. A photo whose bytes had been lost before remains, so that people see it. May run twice. Returns how many were removed.
 */
export async function removeMissed(
  { store, clock }: { store: Transactional<'photos' | 'importPhotos'>; clock: Clock },
  missed: AsyncIterable<MissedBlob>,
): Promise<number> {
  let leftOut = 0;
  for await (const { customerId, id, importId, why } of missed) {
    if (importId === null && why !== 'deleted') continue;
    await store.transaction(customerId, async (transaction) => {
      if (importId !== null) {
        const item = await transaction.importPhotos.lock(importId, id);
        if (item?.status === 'processing' || item?.status === 'ready')
          await failItem(transaction, item, bytesMissing, clock.now());
        return;
      }
      const [photo] = await transaction.photos.lock([id]);
      if (photo !== undefined) await transaction.photos.delete(id);
    });
    leftOut += 1;
  }
  return leftOut;
}
