import { type Caller, requireScope } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type BulkEdit, canBeUndone } from './bulk-edit.js';
import { recordEdit } from './record-edit.js';

/**
 * Begins to undo an edit, also one that is still in progress: it goes no further. Nothing happens if it is being undone already, or has
 * changed nothing. Errors: `scope_required`, `not_found`.
 */
export function undoBulkEdit(
  { store, clock }: { store: Transactional<'bulkEdits' | 'jobs' | 'audit'>; clock: Clock },
  caller: Caller,
  id: Id,
): Promise<BulkEdit> {
  return store.transaction(caller.customerId, async (transaction) => {
    const edit = requireFound(await transaction.bulkEdits.lock(id), 'bulk_edit');
    requireScope(caller, edit.action.kind === 'restore' ? 'photos:delete' : 'photos:write');
    if (!canBeUndone(edit)) return edit;
    if (edit.state === 'running') await recordEdit(transaction, edit, clock.now());
    const begun = { lastPhotoId: null, undone: 0, kept: 0, endedAt: null };
    const undoing = { ...edit, ...begun, state: 'undoing', undoneBy: caller.actor } as const;
    await transaction.bulkEdits.update(undoing);
    await transaction.jobs.add({ kind: 'bulk_edit', bulkEditId: id });
    return undoing;
  });
}
