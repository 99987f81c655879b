import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { announceCompletion } from './announce-completion.js';
import { completeIfDone, type Import } from './import.js';

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
