import { everyBatch } from '../shared/every-page.js';
import type { Id } from '../shared/ids.js';
import { windowAfter } from '../shared/pagination.js';
import { type CheckOptions, type CheckUses, checkPhoto } from './check-photo.js';
import type { Findings } from './findings.js';

const BATCH = 200;

/** I1: every photo of the customer has its original, and a thumb or what is needed to generate one. */
export async function checkPhotos(
  uses: CheckUses,
  customerId: Id,
  options: CheckOptions,
  findings: Findings,
): Promise<void> {
  const read = (after: Id | null) => {
    const window = windowAfter(after, BATCH);
    return uses.store.query(customerId, (reader) =>
      reader.photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
    );
  };
  for await (const batch of everyBatch(BATCH, read)) {
    for (const photo of batch) await checkPhoto(uses, photo, options, findings);
  }
}
