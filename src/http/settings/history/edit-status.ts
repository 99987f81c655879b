import { type BulkEdit, isActive, progressOf } from '../../../core/bulk-edits/bulk-edit.js';
import type { Flash } from '../browser-session.js';
import { editFlash, editTitle, progressText } from './edit-texts.js';

/** What scripts are told of an edit: how far it is, and once it has ended, what it did (bulk-edits.ts). */
export interface EditStatus extends Flash {
  /** While it is in progress. */
  readonly edit?: {
    readonly id: string;
    readonly title: string;
    readonly processed: number;
    readonly total: number;
    readonly progress: string;
  };
}

export function editStatus(edit: BulkEdit): EditStatus {
  const flash = editFlash(edit);
  if (!isActive(edit)) return flash;
  const title = editTitle(edit);
  return { ...flash, edit: { id: String(edit.id), title, ...progressOf(edit), progress: progressText(edit) } };
}
