import type { PhotoTotals } from '../customers/customer.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import type { CheckOptions } from './check-photo.js';
import type { Findings } from './findings.js';

/** Few, because the photos of each are counted. */
const TAG_BATCH = 50;

/** I12: the totals of all photos, in the usage and for quotas. */
export async function checkTotals(
  { store }: { store: Transactional<'customer' | 'usage'> },
  customerId: Id,
  { repair }: CheckOptions,
  findings: Findings,
) {
  const { stored, counted } = await store.query(customerId, (reader) => reader.usage.photoTotals());
  if (totalsText(stored) === totalsText(counted)) return;
  if (repair)
    await store.transaction(customerId, async ({ customer, usage }) => {
      await customer.lock();
      await usage.recountPhotos();
    });
  const message = `The stored usage of this customer is ${totalsText(stored)}, but the actual usage is ${totalsText(counted)}.`;
  findings.report('I12', message, { customerId, repaired: repair });
}

function totalsText({ photos, storageBytes, trashedPhotos, trashedBytes }: PhotoTotals): string {
  return `${photos} photos with ${storageBytes} bytes, and ${trashedPhotos} with ${trashedBytes} bytes in the trash`;
}

/**
 * I12: the `photoCount` of tags. The counts of imports are counted on read, and cannot be wrong; those of deleted items cannot be compared
 * with anything.
 */
export async function checkCounts(
  { store }: { store: Transactional<'tags'> },
  customerId: Id,
  { repair }: CheckOptions,
  findings: Findings,
) {
  for (let last: Id | null = null; ; ) {
    const page = await store.query(customerId, (reader) => reader.tags.photoCounts(last, TAG_BATCH));
    for (const { id, stored, counted } of page) {
      findings.count('tags');
      if (stored === counted) continue;
      if (repair) await store.transaction(customerId, (transaction) => transaction.tags.recount(id));
      const message = `The stored photo count of tag ${id} is ${stored ?? 'missing'}, but the actual count is ${counted}.`;
      findings.report('I12', message, { customerId, tagId: id, repaired: repair });
    }
    last = page.at(-1)?.id ?? null;
    if (page.length < TAG_BATCH) return;
  }
}
