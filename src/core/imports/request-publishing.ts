import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';

/**
 * Requests that an import is published if it has been finalized. Called after an item's own change is committed: either this sees the
 * finalized import, or the publishing that was requested by finalizing sees the item. So neither has to lock the import.
 */
export async function requestPublishing(
  { store }: { store: Transactional<'imports' | 'jobs'> },
  customerId: Id,
  importId: Id,
): Promise<void> {
  const subject = await store.query(customerId, (reader) => reader.imports.find(importId));
  if (subject?.status !== 'processing') return;
  await store.transaction(customerId, (transaction) => transaction.jobs.add({ kind: 'publish', importId }));
}
