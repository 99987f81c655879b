import type { Transaction } from '../shared/transactional.js';
import { actionTitle } from './bulk-action.js';
import type { BulkEdit } from './bulk-edit.js';

/** Adds what an edit, or undoing it, has changed to the audit log. */
export async function recordEdit({ audit }: Transaction<'audit'>, edit: BulkEdit, at: Date): Promise<void> {
  const isUndo = edit.state === 'undoing' || edit.state === 'undone';
  const count = isUndo ? edit.undone : edit.changed;
  if (count === 0) return;
  const action = isUndo ? 'photo.bulk_edit_undone' : 'photo.bulk_edited';
  const actor = (isUndo ? edit.undoneBy : null) ?? edit.actor;
  await audit.add(actor, { action, subject: { id: edit.id, name: actionTitle(edit.action) }, count, at });
}
