import type { Measure } from '../blobs/blob-bytes.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transactional } from '../shared/transactional.js';
import { type ImportPhoto, transition, waitsFor } from './import-photo.js';
import type { UploadGrant } from './target.js';

export type ReceiveUses = { store: Transactional<'importPhotos' | 'blobOwners' | 'jobs'>; clock: Clock };

/**
 * Records that bytes of items of one import have arrived, and requests their inspection. Of each: whether the item relies on these bytes
 * from now on, and the item as it is.
 */
export function receiveStagedBytes(
  { store, clock }: ReceiveUses,
  uploads: readonly TracedUpload[],
): Promise<readonly ReceivedUpload[]> {
  const [{ grant }] = uploads as readonly [TracedUpload];
  const { customerId, importId } = grant;
  return store.transaction(customerId, async (transaction) => {
    const locked = await transaction.importPhotos.lockMany(
      importId,
      uploads.map((each) => each.grant.itemId),
    );
    const items = new Map(locked.map((item) => [item.id, item]));
    const uploadIds = uploads.map(({ uploadId }) => uploadId);
    const removed = new Set(await transaction.blobOwners.dropped(importId, uploadIds));
    const at = clock.now();
    const outcomes = uploads.map((upload): ReceivedUpload => {
      const item = items.get(upload.grant.itemId) ?? null;
      if (!waitsFor(item, upload.grant)) return { became: 'unused', item };
      if (removed.has(upload.uploadId)) return { became: 'removed', item };
      const { sizeBytes, sha256 } = upload.measure;
      const processing = { ...transition(item, 'processing', at), uploadId: upload.uploadId, sizeBytes, sha256 };
      // Later arrivals for the same item see this value.
      items.set(item.id, processing);
      return { became: 'taken', item: processing };
    });
    const taken = uploads.filter((_, index) => outcomes[index]?.became === 'taken');
    await transaction.importPhotos.update(...taken.flatMap((upload) => items.get(upload.grant.itemId) ?? []));
    for (const traceContext of new Set(taken.map((upload) => upload.traceContext))) {
      const works = taken.filter((upload) => upload.traceContext === traceContext).map((upload) => upload.grant.itemId);
      const inspections = works.map((photoId) => ({ kind: 'inspect', importId, photoId }) as const);
      await transaction.jobs.addTraced(traceContext, ...inspections);
    }
    return outcomes;
  });
}

/** Bytes that are staged under their own upload id. */
export interface StagedUpload {
  readonly grant: Pick<UploadGrant, 'customerId' | 'importId' | 'itemId' | 'uploadId'>;
  readonly measure: Measure;
  readonly uploadId: number;
}

export type TracedUpload = StagedUpload & { readonly traceContext: string | null };

export interface ReceivedUpload {
  readonly became: 'taken' | 'removed' | 'unused';
  /** Null if there is no such item. */
  readonly item: ImportPhoto | null;
}

/**
 * Called before relying on bytes that were staged before any item referred to them, with the item or the import locked: abandoned bytes may
 * be removed at the same time. Errors: `service_unavailable`.
 */
export async function requireStagedBytes(
  { blobOwners }: Reader<'blobOwners'>,
  importId: Id,
  uploadIds: readonly number[],
): Promise<void> {
  if (uploadIds.length === 0 || (await blobOwners.dropped(importId, uploadIds)).length === 0) return;
  throw bytesRemoved();
}

export function bytesRemoved(): DomainError {
  return new DomainError(
    'service_unavailable',
    'The uploaded bytes were not used in time and have been removed. Upload the file again.',
  );
}
