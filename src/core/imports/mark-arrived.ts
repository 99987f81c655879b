import type { Measure } from '../blobs/measured.js';
import { causedBy, currentCause } from '../jobs/cause.js';
import type { Uses } from '../ports.js';
import { Batcher } from '../shared/batcher.js';
import { type ImportPhoto, move } from './import-photo.js';
import { bytesRemoved } from './require-staged-bytes.js';
import { sharedPerStore } from './shared-per-store.js';
import type { UploadGrant } from './upload-target.js';

type ArriveUses = Uses<'store' | 'clock'>;

/** Bytes that are staged under an attempt of their own. */
export interface Arrival {
  readonly grant: UploadGrant;
  readonly measure: Measure;
  readonly attempt: number;
}

type Caused = Arrival & { readonly cause: string | null };
type Outcome = { readonly became: 'taken' | 'removed' | 'unused'; readonly item: ImportPhoto | null };

const arrivals = sharedPerStore(
  (uses: ArriveUses) => new Batcher<string, Caused, Outcome>((_, arrived) => takeUp(uses, arrived)),
);

/**
 * Tells the item that its bytes are here, and has them looked at; what arrives for one import at the same time is told together. Null
 * when the item relies on them from then on; else nothing was changed, and the answer is the item as it is, or `missing`.
 * Errors: `service_unavailable`.
 */
export async function markArrived(uses: ArriveUses, arrival: Arrival): Promise<ImportPhoto | 'missing' | null> {
  const { customerId, importId } = arrival.grant;
  const cause = currentCause();
  const { became, item } = await arrivals(uses).enqueue(`${customerId}/${importId}`, { ...arrival, cause });
  if (became === 'removed') throw bytesRemoved();
  return became === 'taken' ? null : (item ?? 'missing');
}

/** Of one import. */
function takeUp({ store, clock }: ArriveUses, arrived: readonly Caused[]): Promise<readonly Outcome[]> {
  const [{ grant }] = arrived as readonly [Caused];
  const { customerId, importId } = grant;
  return store.transaction(customerId, async (transaction) => {
    const held = await transaction.importPhotos.lockMany(
      importId,
      arrived.map((each) => each.grant.itemId),
    );
    const items = new Map(held.map((item) => [item.id, item]));
    const attempts = arrived.map(({ attempt }) => attempt);
    const removed = new Set(await transaction.blobOwners.dropped(importId, attempts));
    const at = clock.now();
    const outcomes = arrived.map((arrival): Outcome => {
      const item = items.get(arrival.grant.itemId) ?? null;
      if (item?.status !== 'awaiting_upload' || item.attempt !== arrival.grant.attempt)
        return { became: 'unused', item };
      if (removed.has(arrival.attempt)) return { became: 'removed', item };
      const { sizeBytes, sha256 } = arrival.measure;
      const processing = { ...move(item, 'processing', at), attempt: arrival.attempt, sizeBytes, sha256 };
      // What comes for the same item behind it finds it so.
      items.set(item.id, processing);
      return { became: 'taken', item: processing };
    });
    const taken = arrived.filter((_, index) => outcomes[index]?.became === 'taken');
    await transaction.importPhotos.update(...taken.flatMap((arrival) => items.get(arrival.grant.itemId) ?? []));
    for (const cause of new Set(taken.map((arrival) => arrival.cause))) {
      const works = taken.filter((arrival) => arrival.cause === cause).map((arrival) => arrival.grant.itemId);
      await causedBy(cause, () =>
        transaction.jobs.add(...works.map((photoId) => ({ kind: 'inspect', importId, photoId }) as const)),
      );
    }
    return outcomes;
  });
}
