import { type BulkEdit, progressOf } from '../../../core/bulk-edits/bulk-edit.js';
import { editTitle, HISTORY, progressText } from './edit-texts.js';

/** Edits in progress; a script follows them (bulk-edits.ts), and adds those that begin later. */
export function ActiveEdits({ edits }: { edits: readonly BulkEdit[] }) {
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
          <span class="hint">{progressText(edit)}</span>
          <a href={HISTORY}>History</a>
        </div>
      ))}
    </div>
  );
}
