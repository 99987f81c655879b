import { Controller, Get, Post, Query } from '@nestjs/common';
import { actionTitle } from '../../core/bulk-edits/bulk-action.js';
import {
  type BulkEdit,
  type BulkFailureReason,
  canBeUndone,
  isActive,
  progressOf,
} from '../../core/bulk-edits/bulk-edit.js';
import { listBulkEdits, readBulkEdit, undoBulkEdit } from '../../core/bulk-edits/manage-bulk-edits.js';
import { runBulkEdit } from '../../core/bulk-edits/run-bulk-edit.js';
import { photoFields } from '../../core/media/photo-fields.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { address, oneOfQuery } from '../address.js';
import type { Flash } from '../browser-session.js';
import { Form } from '../form.js';
import type { Formats } from '../formats.js';
import { photoPath, readLibraryQuery } from '../library-query/library-query.js';
import { PageController, redirectTo, replyToScript } from '../page.js';
import {
  CurrentPageContext,
  callerOfPage,
  HOME,
  InNavigation,
  type PageContext,
  usePageContext,
} from '../page-context.js';
import { Badge, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';

/** The changes that people have made to many photos at once, to follow and to undo. */
@Controller('settings/history')
@RequireRole('editor')
export class HistoryController extends PageController {
  @Get()
  @InNavigation('History', 27)
  async list(@CurrentPageContext() context: PageContext, @Query('before') before: unknown): Promise<Reply> {
    const window = { before: parseId(oneOfQuery(before)), limit: 50 };
    const { edits, next } = await listBulkEdits(this.ports, callerOfPage(context), window);
    return this.render(
      context,
      { title: 'History', section: 'history', styles: ['areas.css', 'import.css'], scripts: ['live.js'] },
      <>
        <Heading
          title="History"
          lead="What people changed on many photos at once, and where they placed photos on the map, newest first. Each change can be undone for seven days; photos that someone has changed since are left alone."
        />
        {/* While one is in progress, the table is brought up to date (live.js). */}
        <div data-live={edits.some(isActive) ? '1000' : undefined} data-live-in-place="">
          <div data-live-part="edits">
            {edits.length === 0 ? (
              <Empty icon="undo-2" title="Nothing yet">
                <p>Select photos in the library to tag, rate, rotate or trash many of them at once.</p>
              </Empty>
            ) : (
              <Table
                caption="Changes of many photos"
                columns={['When', 'What', 'Who', 'Result', '']}
                rows={edits.map((edit) => ({ key: edit.id, cells: cellsOf(context.formats, edit) }))}
              />
            )}
          </div>
        </div>
        {next !== null && (
          <nav class="paging" aria-label="Pages of the history">
            <span />
            <LinkButton href={address(HISTORY, { before: String(next) })} label="Next page" isSmall rel="next" />
          </nav>
        )}
      </>,
    );
  }

  /** For scripts that follow an edit. */
  @Get(':id/state')
  async status(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const edit = await readBulkEdit(this.ports, callerOfPage(context), id);
    return replyToScript(context, editStatus(context.formats, edit));
  }

  @Post(':id/undo')
  async undo(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const caller = callerOfPage(context);
    const { query } = context.request;
    await undoBulkEdit(this.ports, caller, id);
    // Few photos are as before when the page comes.
    await runBulkEdit(this.ports, caller.customerId, id);
    const edit = await readBulkEdit(this.ports, caller, id);
    if (!wantsPage(requestContextOf(context.request), context.request))
      return replyToScript(context, editStatus(context.formats, edit));
    const photo = parseId(oneOfQuery(query['photo']));
    const list = query['from'] === 'library' ? HOME : HISTORY;
    const path = photo === null ? list : photoPath(photo, readLibraryQuery(query));
    return redirectTo(context, path, editFlash(context.formats, edit));
  }
}

function cellsOf(formats: Formats, edit: BulkEdit) {
  const { processed, total } = progressOf(edit);
  const tone = edit.state === 'failed' || edit.failures.length > 0 ? 'warn' : 'good';
  return [
    <Moment key="at" at={edit.createdAt} />,
    <>
      {actionTitle(edit.action)}
      <span class="small soft">
        {edit.filters === null
          ? formats.pluralize(edit.total, 'photo')
          : `All ${formats.pluralize(edit.total, 'photo')} that matched`}
      </span>
    </>,
    <>
      {edit.actor.name ?? 'Someone'}
      {edit.undoneBy !== null && <span class="small soft">Undone by {edit.undoneBy.name ?? 'someone'}</span>}
    </>,
    <>
      <Badge tone={isActive(edit) || edit.state === 'undone' ? 'plain' : tone}>{states[edit.state]}</Badge>
      {isActive(edit) && (
        <progress
          max={Math.max(1, total)}
          value={processed}
          aria-label={`${actionTitle(edit.action)}: ${progressText(formats, edit)}`}
        />
      )}
      <span class="small soft">{isActive(edit) ? progressText(formats, edit) : resultText(formats, edit)}</span>
    </>,
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

const HISTORY = '/settings/history';

const reasonTexts: Readonly<Record<BulkFailureReason, string>> = {
  not_found: 'deleted meanwhile',
  in_trash: 'in the trash',
  tag_deleted: 'the tag was deleted',
  too_many_tags: 'already had the maximum number of tags',
  no_capture_time: 'without a capture time',
  capture_time_out_of_range: 'the capture time would be outside of the years 1 to 9999',
};

/** Returns what an edit has done so far, in a sentence, and one for each reason why photos were left as they are. */
function resultText(formats: Formats, edit: BulkEdit): string {
  if (edit.state === 'undoing' || edit.state === 'undone') {
    const done = `Undone: ${formats.pluralize(edit.undone, 'photo is', 'photos are')} as before.`;
    if (edit.kept === 0) return done;
    return `${done} Left alone: ${formats.pluralize(edit.kept, 'photo')} that changed or disappeared since.`;
  }
  const failures = edit.failures.map(
    ({ reason, count }) => `Not changed: ${formats.pluralize(count, 'photo')} (${reasonTexts[reason]}).`,
  );
  const gaveUp = edit.state === 'failed' ? ['It stopped before the end, because of an error of the service.'] : [];
  return [changedText(formats, edit), ...failures, ...gaveUp].join(' ');
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
function progressText(formats: Formats, edit: BulkEdit): string {
  const { processed, total } = progressOf(edit);
  return `${formats.number(Math.min(processed, total))} of ${formats.pluralize(total, 'photo')}`;
}

const states = { running: 'In progress', undoing: 'Being undone', done: 'Done', failed: 'Stopped', undone: 'Undone' };

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

function undoPath({ id }: Pick<BulkEdit, 'id'>): string {
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
  const { formats } = usePageContext();
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
