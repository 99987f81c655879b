import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { finalizeImport } from '../../../core/imports/finalize.js';
import { listImportPhotos, listImports, readImport } from '../../../core/imports/read.js';
import type { Ports } from '../../../core/ports.js';
import { DomainError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { Reply } from '../../responses/reply.js';
import { messageForPeople } from '../error-messages.js';
import { FieldLength } from '../form-fields.js';
import { InNavigation } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { countsText, stateView } from './import-state.js';
import { ImportDetailsPage, ImportsPage } from './imports.view.js';

const PAGE = 25;
/** Failed items, on one page. */
const ITEMS = 100;

/** The imports of the customer, from whatever source, and the outcome of their files. */
@Controller('settings/imports')
export class ImportsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('Imports', 20)
  @RequireRole('editor')
  async list(@CurrentPageContext() context: PageContext, @Query('cursor') cursor: unknown): Promise<Reply> {
    const request = { limit: PAGE, cursor: typeof cursor === 'string' ? cursor : null };
    const { data, nextCursor } = await listImports(this.ports, callerOfPage(context), request);
    const content = <ImportsPage imports={data} older={nextCursor} isFirst={request.cursor === null} />;
    return renderPage(this.ports, context, { title: 'Imports', ...imports }, content);
  }

  @Get(':id')
  @RequireRole('editor')
  async show(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query('cursor') cursor: unknown,
  ): Promise<Reply> {
    const request = { limit: ITEMS, cursor: typeof cursor === 'string' ? cursor : null };
    const caller = callerOfPage(context);
    const { import: subject, page: items } = await listImportPhotos(this.ports, caller, id, {
      ...request,
      statuses: ['failed', 'awaiting_upload'],
    });
    const details = { subject, items: items.data, more: items.nextCursor, limits: this.ports.limits };
    return renderPage(this.ports, context, { title: `Import ${id}`, ...imports }, <ImportDetailsPage {...details} />);
  }

  /** For scripts: its state, with the first failed items. */
  @Get(':id/state')
  @RequireRole('editor')
  async state(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const request = { statuses: ['failed'] as const, limit: ITEMS, cursor: null };
    const { import: subject, page: failed } = await listImportPhotos(this.ports, callerOfPage(context), id, request);
    return new Reply(200, stateView(subject, failed.data, this.ports.limits), { 'Cache-Control': 'no-store' });
  }

  @Post(':id/finish')
  @RequireRole('editor')
  async finish(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const missingUploads = context.form.text('missing', FieldLength.word) === 'fail' ? 'fail' : 'reject';
    const path = `/settings/imports/${id}`;
    try {
      await finalizeImport(this.ports, callerOfPage(context), id, { action: 'commit', missingUploads });
      return redirectTo(context, path);
    } catch (error) {
      return redirectTo(context, path, { kind: 'failed', text: stateError(error) });
    }
  }

  @Get(':id/discard')
  @RequireRole('editor')
  async confirmDiscard(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { counts } = await readImport(this.ports, callerOfPage(context), id);
    const path = `/settings/imports/${id}`;
    const confirm = (
      <Confirm title={`Discard import ${id}?`} action={`${path}/discard`} button="Discard import" back={path}>
        <p>
          Its files ({countsText(counts)}) are not added to the library. Photos that are already in the library are not
          affected.
        </p>
      </Confirm>
    );
    return renderPage(this.ports, context, { title: 'Discard import', ...imports }, confirm);
  }

  @Post(':id/discard')
  @RequireRole('editor')
  async discard(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const path = `/settings/imports/${id}`;
    try {
      await finalizeImport(this.ports, callerOfPage(context), id, { action: 'discard', missingUploads: 'fail' });
      return redirectTo(context, path, { kind: 'done', text: 'Discarded.' });
    } catch (error) {
      return redirectTo(context, path, { kind: 'failed', text: stateError(error) });
    }
  }
}

const imports = { section: 'imports', styles: ['import.css'], scripts: ['live.js'] };

/** The message when an import is not in the state that its page showed; every other error gets a page of its own. */
function stateError(error: unknown): string {
  const isOfState =
    error instanceof DomainError && (error.code === 'import_not_open' || error.code === 'uploads_incomplete');
  if (!isOfState) throw error;
  return messageForPeople(error);
}
