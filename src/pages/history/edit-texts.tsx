import { actionTitle } from '../../core/bulk-edits/bulk-action.js';
import {
  type BulkEdit,
  type BulkFailureReason,
  canBeUndone,
  isActive,
  progressOf,
} from '../../core/bulk-edits/bulk-edit.js';
import { photoFields } from '../../core/media/photo-fields.js';
import type { Flash } from '../browser-session.js';
import { type Formats, useFormats } from '../formats.js';

export const HISTORY = '/settings/history';

const reasonTexts: Readonly<Record<BulkFailureReason, string>> = {
  not_found: 'deleted meanwhile',
  in_trash: 'in the trash',
  tag_deleted: 'the tag was deleted',
  too_many_tags: 'already had the maximum number of tags',
  no_capture_time: 'without a capture time',
  capture_time_out_of_range: 'the capture time would be outside of the years 1 to 9999',
};

/** Returns what an edit has done so far, in a sentence, and one for each reason why photos were left as they are. */
export function resultText(formats: Formats, edit: BulkEdit): string {
  if (edit.state === 'undoing' || edit.state === 'undone') return undoneText(formats, edit);
  const failures = edit.failures.map(
    ({ reason, count }) => `Not changed: ${formats.pluralize(count, 'photo')} (${reasonTexts[reason]}).`,
  );
  const gaveUp = edit.state === 'failed' ? ['It stopped before the end, because of an error of the service.'] : [];
  return [changedText(formats, edit), ...failures, ...gaveUp].join(' ');
}

function undoneText(formats: Formats, { undone, kept }: BulkEdit): string {
  const done = `Undone: ${formats.pluralize(undone, 'photo is', 'photos are')} as before.`;
  return kept === 0
    ? done
    : `${done} Left alone: ${formats.pluralize(kept, 'photo')} that changed or disappeared since.`;
}

function changedText(formats: Formats, { action, changed }: BulkEdit): string {
  const photos = formats.pluralize(changed, 'photo');
  switch (action.kind) {
    case 'add_tags':
      return `${photos} tagged ${action.tags.map(({ name }) => `“${name}”`).join(', ')}.`;
    case 'remove_tags':
      return `${action.tags.map(({ name }) => `“${name}”`).join(', ')} removed from ${photos}.`;
    case 'set_rating':
      return action.rating === null
        ? `Rating of ${photos} removed.`
        : `${photos} rated ${action.rating} of ${photoFields.rating.max} stars.`;
    case 'set_location':
      return `Location of ${photos} ${action.location === null ? 'removed' : 'changed'}.`;
    case 'shift_time':
      return `Capture time of ${photos} changed.`;
    case 'rotate':
      return `${photos} rotated.`;
    case 'trash':
      return `${photos} moved to the trash.`;
    case 'restore':
      return `${photos} restored.`;
  }
}

/** `Undoing: Add tag “Paris”` */
function editTitle(edit: BulkEdit): string {
  return edit.state === 'undoing' ? `Undoing: ${actionTitle(edit.action)}` : actionTitle(edit.action);
}

/** `12,000 of 50,000 photos` */
export function progressText(formats: Formats, edit: BulkEdit): string {
  const { processed, total } = progressOf(edit);
  return `${formats.number(Math.min(processed, total))} of ${formats.pluralize(total, 'photo')}`;
}

export function stateText({ state }: BulkEdit): string {
  return { running: 'In progress', undoing: 'Being undone', done: 'Done', failed: 'Stopped', undone: 'Undone' }[state];
}

/**
 * After an edit, with its undo; while it is in progress, that it is.
 * @param returnTo What undoing leads to, as the query of the address.
 */
export function editFlash(formats: Formats, edit: BulkEdit, returnTo = 'from=library'): Flash {
  const kind = edit.state === 'failed' ? 'failed' : 'done';
  const text = isActive(edit)
    ? `${editTitle(edit)}: in progress, ${progressText(formats, edit)}.`
    : resultText(formats, edit);
  if (!canBeUndone(edit)) return { kind, text };
  return { kind, text, undo: { action: `${undoPath(edit)}?${returnTo}`, field: 'edit', values: [String(edit.id)] } };
}

export function undoPath({ id }: Pick<BulkEdit, 'id'>): string {
  return `${HISTORY}/${id}/undo`;
}

/** The state of an edit for scripts: how far it is, and once it has ended, what it did (bulk-edits.ts). */
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

export function editStatus(formats: Formats, edit: BulkEdit): EditStatus {
  const flash = editFlash(formats, edit);
  if (!isActive(edit)) return flash;
  const title = editTitle(edit);
  return { ...flash, edit: { id: String(edit.id), title, ...progressOf(edit), progress: progressText(formats, edit) } };
}

/** Edits in progress; a script follows them (bulk-edits.ts), and adds those that begin later. */
export function ActiveEdits({ edits }: { edits: readonly BulkEdit[] }) {
  const formats = useFormats();
  return (
    <div class="bulk-edits" data-bulk-edits>
      {edits.map((edit) => (
        <div key={edit.id} class="bulk-edit" data-bulk-edit={edit.id}>
          <label for={`bulk-edit-${edit.id}`}>{editTitle(edit)}</label>
          <progress
            id={`bulk-edit-${edit.id}`}
            max={Math.max(1, progressOf(edit).total)}
            value={progressOf(edit).processed}
          />
          <span class="hint">{progressText(formats, edit)}</span>
          <a href={HISTORY}>History</a>
        </div>
      ))}
    </div>
  );
}
