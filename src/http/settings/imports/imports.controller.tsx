import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { finalizeImport } from '../../../core/imports/finalize-import.js';
import { listImportPhotos, listImports, readImport } from '../../../core/imports/read-import.js';
import type { Ports } from '../../../core/ports.js';
import { DomainError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../reply.js';
import { messageForPeople } from '../error-words.js';
import { goTo, page } from '../page.js';
import { Confirm } from '../parts.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { countsText, stateView } from './import-state.js';
import { ImportDetailsPage, ImportsPage } from './imports.view.js';

const PAGE = 25;
/** Items that did not come in, on one page. */
const ITEMS = 100;

/** The imports of the customer, from wherever they came, and what became of their files. */
@Controller('settings/imports')
export class ImportsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  async list(@Visiting() visit: Visit, @Query('cursor') cursor: unknown): Promise<Reply> {
    const request = { limit: PAGE, cursor: typeof cursor === 'string' ? cursor : null };
    const { data, nextCursor } = await listImports(this.ports, callerOfVisit(visit), request);
    const content = <ImportsPage imports={data} older={nextCursor} isFirst={request.cursor === null} />;
    return page(this.ports, visit, { title: 'Imports', ...imports }, content);
  }

  @Get(':id')
  @For('member')
  async show(@Visiting() visit: Visit, @PathId('id') id: Id, @Query('cursor') cursor: unknown): Promise<Reply> {
    const request = { limit: ITEMS, cursor: typeof cursor === 'string' ? cursor : null };
    const caller = callerOfVisit(visit);
    const { import: subject, page: items } = await listImportPhotos(this.ports, caller, id, {
      ...request,
      statuses: ['failed', 'awaiting_upload'],
    });
    const details = { subject, items: items.data, more: items.nextCursor, limits: this.ports.limits };
    return page(this.ports, visit, { title: `Import ${id}`, ...imports }, <ImportDetailsPage {...details} />);
  }

  /** For scripts: how it stands, with the first items that failed. */
  @Get(':id/state')
  @For('member')
  async state(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const request = { statuses: ['failed'] as const, limit: ITEMS, cursor: null };
    const { import: subject, page: failed } = await listImportPhotos(this.ports, callerOfVisit(visit), id, request);
    return new Reply(200, stateView(subject, failed.data, this.ports.limits), { 'Cache-Control': 'no-store' });
  }

  @Post(':id/finish')
  @For('member')
  async finish(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const missingUploads = visit.form.text('missing') === 'fail' ? 'fail' : 'reject';
    const path = `/settings/imports/${id}`;
    try {
      await finalizeImport(this.ports, callerOfVisit(visit), id, { action: 'commit', missingUploads });
      return goTo(visit, path);
    } catch (error) {
      return goTo(visit, path, { kind: 'failed', text: stateError(error) });
    }
  }

  @Get(':id/discard')
  @For('member')
  async askToDiscard(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const { counts } = await readImport(this.ports, callerOfVisit(visit), id);
    const path = `/settings/imports/${id}`;
    const confirm = (
      <Confirm title={`Discard import ${id}?`} action={`${path}/discard`} button="Discard" back={path}>
        <p>Nothing of it comes into the library ({countsText(counts)}). Photos that are there already stay.</p>
      </Confirm>
    );
    return page(this.ports, visit, { title: 'Discard', ...imports }, confirm);
  }

  @Post(':id/discard')
  @For('member')
  async discard(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const path = `/settings/imports/${id}`;
    try {
      await finalizeImport(this.ports, callerOfVisit(visit), id, { action: 'discard', missingUploads: 'fail' });
      return goTo(visit, path, { kind: 'done', text: 'Discarded.' });
    } catch (error) {
      return goTo(visit, path, { kind: 'failed', text: stateError(error) });
    }
  }
}

const imports = { section: 'imports', styles: ['import.css'], scripts: ['live.js'] };

/** What is said when an import is not in the state that its page showed; everything else is a page of its own. */
function stateError(error: unknown): string {
  const isOfState =
    error instanceof DomainError && (error.code === 'import_not_open' || error.code === 'uploads_incomplete');
  if (!isOfState) throw error;
  return messageForPeople(error);
}
