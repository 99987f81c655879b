import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { runBulkEdit } from '../../../core/bulk-edits/run-bulk-edit.js';
import { listBulkEdits, readBulkEdit, undoBulkEdit } from '../../../core/bulk-edits/start-bulk-edit.js';
import type { Ports } from '../../../core/ports.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { wantsPage } from '../../server/for-programs.js';
import { requestContextOf } from '../../server/request-context.js';
import { oneOfQuery } from '../address.js';
import { photoPath, readLibraryQuery } from '../library-query/library-query.js';
import { HOME, InNavigation } from '../navigation.js';
import { redirectTo, renderPage, replyToScript } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { editStatus } from './edit-status.js';
import { editFlash, HISTORY } from './edit-texts.js';
import { HistoryPage } from './history.view.js';

const PAGE = 50;

/** What people have changed on many photos at once, to follow and to undo. */
@Controller('settings/history')
@RequireRole('editor')
export class HistoryController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('History', 27)
  async list(@CurrentPageContext() context: PageContext, @Query('before') before: unknown): Promise<Reply> {
    const window = { before: parseId(oneOfQuery(before)), limit: PAGE };
    const page = await listBulkEdits(this.ports, callerOfPage(context), window);
    const options = { title: 'History', section: 'history', styles: ['areas.css', 'import.css'], scripts: ['live.js'] };
    return renderPage(this.ports, context, options, <HistoryPage {...page} />);
  }

  /** For scripts that follow an edit. */
  @Get(':id/state')
  async status(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return replyToScript(context, editStatus(await readBulkEdit(this.ports, callerOfPage(context), id)));
  }

  @Post(':id/undo')
  async undo(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: Record<string, unknown>,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    await undoBulkEdit(this.ports, caller, id);
    // Few photos are as before when the page comes.
    await runBulkEdit(this.ports, caller.customerId, id);
    const edit = await readBulkEdit(this.ports, caller, id);
    if (!wantsPage(requestContextOf(context.request), context.request)) return replyToScript(context, editStatus(edit));
    const photo = parseId(oneOfQuery(query['photo']));
    const list = query['from'] === 'library' ? HOME : HISTORY;
    return redirectTo(context, photo === null ? list : photoPath(photo, readLibraryQuery(query)), editFlash(edit));
  }
}
