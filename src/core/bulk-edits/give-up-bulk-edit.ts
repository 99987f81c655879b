import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { isActive } from './bulk-edit.js';
import { recordEdit } from './record-edit.js';

/** Ends an edit whose job fails again and again. What it has done stays, and can be undone. */
export function giveUpBulkEdit(
  { store, clock }: { store: Transactional<'bulkEdits' | 'audit'>; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const edit = await transaction.bulkEdits.lock(id);
    if (edit === null || !isActive(edit)) return;
    const at = clock.now();
    await recordEdit(transaction, edit, at);
    await transaction.bulkEdits.update({ ...edit, state: 'failed', endedAt: at });
  });
}
