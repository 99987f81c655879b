import { randomUUID } from 'node:crypto';
import type { QuotaReservation } from '../customers/quota.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { type ImportPhoto, quotaUseOf, retry } from './import-photo.js';
import { type Candidate, clientValues, normalSha256 } from './registration.js';
import { saveAndRequestInspection } from './request-inspection.js';
import type { SourceFetch } from './source-fetch.js';

export interface ReuseTerms {
  readonly tags: () => Promise<readonly Id[]>;
  readonly quota: QuotaReservation;
  readonly at: Date;
  /** What is to be fetched for the item: nothing, unless it is `fetching`. */
  readonly fetchesOf: (item: ImportPhoto) => readonly SourceFetch[];
}

/**
 * The client refers to an existing item, which is locked or of this very request: unchanged or, if it has failed, with the new values and
 * waiting for bytes again.
 */
export async function reuseItem(
  transaction: Transaction<'importPhotos' | 'sourceFetches' | 'jobs'>,
  { input, staged }: Candidate,
  known: ImportPhoto,
  { tags, quota, at, fetchesOf }: ReuseTerms,
): Promise<{ outcome: 'existing'; item: ImportPhoto } | { outcome: 'rejected'; error: ItemError }> {
  const sha256 = input.sha256 ? normalSha256(input.sha256) : null;
  const hasOtherSize = input.sourceUrl ? false : input.sizeBytes !== known.sizeBytes;
  const differs = (sha256 !== null && known.sha256 !== null && sha256 !== known.sha256) || hasOtherSize;
  if (known.status === 'failed') {
    const status = input.sourceUrl ? 'fetching' : 'awaiting_upload';
    const again = { ...retry(known, randomUUID(), at, status), sizeBytes: input.sizeBytes ?? null, sha256 };
    const error = quota.tryReserve(quotaUseOf(again));
    if (error !== null) return { outcome: 'rejected', error };
    const item = withStagedBytes({ ...again, ...clientValues(input, await tags()) }, staged, at);
    await saveAndRequestInspection(transaction, item);
    await transaction.sourceFetches.put(fetchesOf(item));
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
