import { Controller, Get, Post, Query } from '@nestjs/common';
import { actionTitle } from '../../core/bulk-edits/bulk-action.js';
import { type BulkEdit, canBeUndone, isActive, progressOf } from '../../core/bulk-edits/bulk-edit.js';
import { runBulkEdit } from '../../core/bulk-edits/run-bulk-edit.js';
import { listBulkEdits, readBulkEdit, undoBulkEdit } from '../../core/bulk-edits/start-bulk-edit.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { address, oneOfQuery } from '../address.js';
import { Form } from '../form.js';
import { type Formats } from '../formats.js';
import { photoPath, readLibraryQuery } from '../library-query/library-query.js';
import { PageController, redirectTo, replyToScript } from '../page.js';
import { CurrentPageContext, callerOfPage, HOME, InNavigation, type PageContext } from '../page-context.js';
import { Badge, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { editFlash, editStatus, HISTORY, progressText, resultText, stateText, undoPath } from './edit-texts.js';

const PAGE = 50;

/** The changes that people have made to many photos at once, to follow and to undo. */
@Controller('settings/history')
@RequireRole('editor')
export class HistoryController extends PageController {
  @Get()
  @InNavigation('History', 27)
  async list(@CurrentPageContext() context: PageContext, @Query('before') before: unknown): Promise<Reply> {
    const window = { before: parseId(oneOfQuery(before)), limit: PAGE };
    const { edits, next } = await listBulkEdits(this.ports, callerOfPage(context), window);
    const options = { title: 'History', section: 'history', styles: ['areas.css', 'import.css'], scripts: ['live.js'] };
    const { formats } = context;
    // While one is in progress, the table is brought up to date (live.js).
    const live = edits.some(isActive) ? '1000' : undefined;
    return this.render(
      context,
      options,
      <>
        <Heading
          title="History"
          lead="What people changed on many photos at once, and where they placed photos on the map, newest first. Each change can be undone for seven days; photos that someone has changed since are left alone."
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
                rows={edits.map((edit) => ({ key: edit.id, cells: cellsOf(formats, edit) }))}
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
      <Badge tone={isActive(edit) || edit.state === 'undone' ? 'plain' : tone}>{stateText(edit)}</Badge>
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
