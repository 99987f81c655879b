import { randomUUID } from 'node:crypto';
import type { QuotaReservation } from '../customers/quota.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { type ImportPhoto, retry } from './import-photo.js';
import { type Candidate, clientValues, normalSha256 } from './registration.js';
import { saveAndRequestInspection } from './request-inspection.js';

/** The client refers to an existing item: unchanged or, if it has failed, with the new values and waiting for bytes again. */
export async function reuseItem(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  { input, staged }: Candidate,
  seen: ImportPhoto,
  { tags, quota, at }: { tags: () => Promise<readonly Id[]>; quota: QuotaReservation; at: Date },
): Promise<{ outcome: 'existing'; item: ImportPhoto } | { outcome: 'rejected'; error: ItemError }> {
  // An item of this very request is not stored yet, and nobody else can know it.
  const known = (await transaction.importPhotos.lock(seen.importId, seen.id)) ?? seen;
  const sha256 = input.sha256 ? normalSha256(input.sha256) : null;
  const differs =
    (sha256 !== null && known.sha256 !== null && sha256 !== known.sha256) || input.sizeBytes !== known.sizeBytes;
  if (known.status === 'failed') {
    const error = quota.tryReserve({ photos: 1, storageBytes: input.sizeBytes });
    if (error !== null) return { outcome: 'rejected', error };
    const values = clientValues(input, await tags());
    const waiting = { ...retry(known, randomUUID(), at), ...values, sizeBytes: input.sizeBytes, sha256 };
    const item = withStagedBytes(waiting, staged, at);
    await saveAndRequestInspection(transaction, item);
    return { outcome: 'existing', item };
  }
  if (differs) {
    const message = `clientRef ${known.clientRef ?? ''} is registered with a different sha256 or sizeBytes. Use another clientRef.`;
    return { outcome: 'rejected', error: { code: 'client_ref_conflict', message } };
  }
  const item = known.status === 'awaiting_upload' ? withStagedBytes(known, staged, at) : known;
  if (item !== known) await saveAndRequestInspection(transaction, item);
  return { outcome: 'existing', item };
}

/** Bytes that arrived with this request invalidate the old upload targets of the item: it takes their upload id. */
function withStagedBytes(item: ImportPhoto, staged: Candidate['staged'], at: Date): ImportPhoto {
  if (staged === null || staged.id !== item.id) return item;
  return { ...item, status: 'processing', uploadId: staged.uploadId, updatedAt: at };
}
