import { actionTitle } from '../../../core/bulk-edits/bulk-action.js';
import { type BulkEdit, canBeUndone, isActive, progressOf } from '../../../core/bulk-edits/bulk-edit.js';
import type { Id } from '../../../core/shared/ids.js';
import { address } from '../address.js';
import { pluralize } from '../counted.js';
import { Form } from '../form.js';
import { Badge, Empty, Heading, Moment, Table } from '../parts.js';
import { HISTORY, progressText, resultText, stateText, undoPath } from './edit-texts.js';

interface HistoryProps {
  readonly edits: readonly BulkEdit[];
  /** Where the next page begins. */
  readonly next: Id | null;
}

export function HistoryPage({ edits, next }: HistoryProps) {
  // While one is in progress, the table is brought up to date (live.js).
  const live = edits.some(isActive) ? '1000' : undefined;
  return (
    <>
      <Heading
        title="History"
        lead="What people changed on many photos at once, and where they placed photos on the map, newest first. Each change can be undone for seven days; photos that somebody has changed since are left alone."
      />
      <div data-live={live} data-live-in-place="">
        <div data-live-part="edits">
          {edits.length === 0 ? (
            <Empty icon="undo-2" title="Nothing yet">
              <p>Select photos in the library to tag, rate, rotate or trash many of them at once.</p>
            </Empty>
          ) : (
            <Table
              caption="Changes of many photos"
              columns={['When', 'What', 'Who', 'Result', '']}
              rows={edits.map((edit) => ({ key: edit.id, cells: cellsOf(edit) }))}
            />
          )}
        </div>
      </div>
      {next !== null && (
        <nav class="paging" aria-label="Pages of the history">
          <span />
          <a class="button plain small" href={address(HISTORY, { before: String(next) })} rel="next">
            Next page
          </a>
        </nav>
      )}
    </>
  );
}

function cellsOf(edit: BulkEdit) {
  return [
    <Moment key="at" at={edit.createdAt} />,
    <>
      {actionTitle(edit.action)}
      <span class="small soft">
        {edit.filters === null ? pluralize(edit.total, 'photo') : `All ${pluralize(edit.total, 'photo')} that matched`}
      </span>
    </>,
    <>
      {edit.actor.name ?? 'Someone'}
      {edit.undoneBy !== null && <span class="small soft">Undone by {edit.undoneBy.name ?? 'someone'}</span>}
    </>,
    <Result key="result" edit={edit} />,
    canBeUndone(edit) ? (
      <Form action={undoPath(edit)}>
        <button
          type="submit"
          class="button plain small"
          id={`undo-${edit.id}`}
          aria-label={`Undo: ${actionTitle(edit.action)}`}
        >
          Undo
        </button>
      </Form>
    ) : null,
  ];
}

function Result({ edit }: { edit: BulkEdit }) {
  const { processed, total } = progressOf(edit);
  const tone = edit.state === 'failed' || edit.failures.length > 0 ? 'warn' : 'good';
  return (
    <>
      <Badge tone={isActive(edit) || edit.state === 'undone' ? 'plain' : tone}>{stateText(edit)}</Badge>
      {isActive(edit) && (
        <progress
          max={Math.max(1, total)}
          value={processed}
          aria-label={`${actionTitle(edit.action)}: ${progressText(edit)}`}
        />
      )}
      <span class="small soft">{isActive(edit) ? progressText(edit) : resultText(edit)}</span>
    </>
  );
}
