import type { Clock } from '../../shared/clock.js';
import { requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { completeIfDone, hasPhotos, type Import, type ImportCounts } from '../import.js';

/** Ends the import, unless an item has work left. */
export async function completeImport(
  { store, clock }: { store: Transactional<'imports' | 'outbox'>; clock: Clock },
  { id, customerId }: Import,
): Promise<void> {
  await store.transaction(customerId, async (transaction) => {
    const locked = requireFound(await transaction.imports.lock(id), 'import');
    const { counts } = requireFound(await transaction.imports.get(id), 'import');
    const ended = completeIfDone(locked, counts, clock.now());
    if (ended === locked) return;
    await transaction.imports.update(ended);
    await announceCompletion(transaction, ended, counts, ended.updatedAt);
  });
}

/** Listeners learn that the import has ended and, if visitors of a share brought photos, that they did. */
export async function announceCompletion(
  { outbox }: Transaction<'outbox'>,
  { id, shareId }: Pick<Import, 'id' | 'shareId'>,
  counts: ImportCounts,
  at: Date,
): Promise<void> {
  await outbox.add('import.completed', [id], at);
  if (shareId !== null && hasPhotos(counts)) await outbox.add('share.uploaded', [shareId], at);
}

/**
 * Requests that an import is published if it has been finalized. Called after an item's own change is committed: either this sees the
 * finalized import, or the publishing that was requested by finalizing sees the item. So neither has to lock the import.
 */
export async function requestPublishing(
  { store }: { store: Transactional<'imports' | 'jobs'> },
  customerId: Id,
  importId: Id,
  traceContext: string | null,
): Promise<void> {
  const subject = await store.query(customerId, (reader) => reader.imports.find(importId));
  if (subject?.status !== 'processing') return;
  await store.transaction(customerId, (transaction) =>
    transaction.jobs.addTraced(traceContext, { kind: 'publish', importId }),
  );
}
