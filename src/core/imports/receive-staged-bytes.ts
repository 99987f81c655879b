import type { Measure } from '../blobs/measure.js';
import { currentTraceContext, withTraceContext } from '../jobs/trace-context.js';
import { Batcher } from '../shared/batcher.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { type ImportPhoto, move } from './import-photo.js';
import { bytesRemoved } from './require-staged-bytes.js';
import { sharedPerStore } from './shared-per-store.js';
import type { UploadGrant } from './upload-target.js';

type ReceiveUses = { store: Transactional<'importPhotos' | 'blobOwners' | 'jobs'>; clock: Clock };

/** Bytes that are staged under their own upload id. */
export interface StagedUpload {
  readonly grant: UploadGrant;
  readonly measure: Measure;
  readonly uploadId: number;
}

type TracedUpload = StagedUpload & { readonly traceContext: string | null };
type Outcome = { readonly became: 'taken' | 'removed' | 'unused'; readonly item: ImportPhoto | null };

const batchers = sharedPerStore(
  (uses: ReceiveUses) => new Batcher<string, TracedUpload, Outcome>((_, arrived) => receiveAll(uses, arrived)),
);

/**
 * Records that the item's bytes have arrived, and requests their inspection; arrivals for one import at the same time are recorded
 * together. Null when the item relies on these bytes from then on; otherwise nothing was changed, and the result is the item as it is, or
 * `missing`. Errors: `service_unavailable`.
 */
export async function receiveStagedBytes(
  uses: ReceiveUses,
  upload: StagedUpload,
): Promise<ImportPhoto | 'missing' | null> {
  const { customerId, importId } = upload.grant;
  const traceContext = currentTraceContext();
  const { became, item } = await batchers(uses).enqueue(`${customerId}/${importId}`, { ...upload, traceContext });
  if (became === 'removed') throw bytesRemoved();
  return became === 'taken' ? null : (item ?? 'missing');
}

/** Of one import. */
function receiveAll({ store, clock }: ReceiveUses, uploads: readonly TracedUpload[]): Promise<readonly Outcome[]> {
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
    const outcomes = uploads.map((upload): Outcome => {
      const item = items.get(upload.grant.itemId) ?? null;
      if (item?.status !== 'awaiting_upload' || item.uploadId !== upload.grant.uploadId)
        return { became: 'unused', item };
      if (removed.has(upload.uploadId)) return { became: 'removed', item };
      const { sizeBytes, sha256 } = upload.measure;
      const processing = { ...move(item, 'processing', at), uploadId: upload.uploadId, sizeBytes, sha256 };
      // Later arrivals for the same item see this value.
      items.set(item.id, processing);
      return { became: 'taken', item: processing };
    });
    const taken = uploads.filter((_, index) => outcomes[index]?.became === 'taken');
    await transaction.importPhotos.update(...taken.flatMap((upload) => items.get(upload.grant.itemId) ?? []));
    for (const traceContext of new Set(taken.map((upload) => upload.traceContext))) {
      const works = taken.filter((upload) => upload.traceContext === traceContext).map((upload) => upload.grant.itemId);
      await withTraceContext(traceContext, () =>
        transaction.jobs.add(...works.map((photoId) => ({ kind: 'inspect', importId, photoId }) as const)),
      );
    }
    return outcomes;
  });
}
