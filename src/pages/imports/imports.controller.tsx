import { Controller, Get, Post, Query } from '@nestjs/common';
import { type Finalization, finalizeImport } from '../../core/imports/finalize.js';
import { type CountedImport, type ImportStatus, progress } from '../../core/imports/import.js';
import { listImportPhotos, listImports, readImport } from '../../core/imports/read.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { address } from '../address.js';
import type { Flash } from '../browser-session.js';
import { Button, Form, messageForPeople } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { type Formats } from '../formats.js';
import { jsonReply, PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext } from '../page-context.js';
import { Badge, Card, Confirm, Empty, Fact, Heading, LinkButton, Moment, Table, type Tone } from '../parts.js';
import { countsText, failureOf } from './import-results.js';

/** Failed items, on one page. */
const ITEMS = 100;

/** The imports of the customer, from whatever source, and the outcome of their files. */
@Controller('settings/imports')
@RequireRole('editor')
export class ImportsController extends PageController {
  @Get()
  @InNavigation('Imports', 20)
  async list(@CurrentPageContext() context: PageContext, @Query('cursor') cursor: unknown): Promise<Reply> {
    const request = { limit: 25, cursor: typeof cursor === 'string' ? cursor : null };
    const { data, nextCursor } = await listImports(this.ports, callerOfPage(context), request);
    const content = (
      <>
        <Heading title="Imports" lead="From these pages, the API and the command line.">
          <LinkButton href="/settings/import" icon="image-plus" label="Add photos" kind="primary" />
        </Heading>
        {data.length === 0 && request.cursor === null ? (
          <Empty icon="upload" title="No imports yet">
            <p>Each time you add photos, the result is listed here.</p>
            <LinkButton href="/settings/import" icon="image-plus" label="Add photos" kind="primary" />
          </Empty>
        ) : (
          <div data-live={data.some(isMoving) ? '' : undefined}>
            <Table
              caption="Imports"
              columns={['Import', 'State', 'Photos', 'Size', 'Started']}
              rows={data.map((subject) => ({ key: subject.id, cells: cellsOf(context.formats, subject) }))}
            />
          </div>
        )}
        {nextCursor && (
          <p class="more">
            <LinkButton href={address('/settings/imports', { cursor: nextCursor })} label="Older imports" rel="next" />
          </p>
        )}
      </>
    );
    return this.render(context, { title: 'Imports', ...imports }, content);
  }

  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { cursor } = context.request.query;
    const statuses = ['failed', 'awaiting_upload'] as const;
    const request = { statuses, limit: ITEMS, cursor: typeof cursor === 'string' ? cursor : null };
    const { import: subject, page: items } = await listImportPhotos(this.ports, callerOfPage(context), id, request);
    const { formats } = context;
    const path = `/settings/imports/${subject.id}`;
    const missing = subject.counts.awaitingUpload;
    return this.render(
      context,
      { title: `Import ${id}`, ...imports },
      <>
        <Heading title={nameOf(subject)} lead={subject.source ?? undefined}>
          {subject.counts.imported > 0 && (
            <LinkButton href={`/settings/library?import=${subject.id}`} label="Show the photos" />
          )}
        </Heading>
        <div data-live={isMoving(subject) ? '' : undefined} class="import-details">
          <Card>
            <div data-live-part="state" data-live-state={subject.status}>
              <p>
                <State subject={subject} />
              </p>
              <p>{countsText(formats, subject.counts)}</p>
            </div>
            <dl class="import-facts">
              <Fact name="Started">
                <Moment at={subject.createdAt} />
              </Fact>
              {subject.completedAt && (
                <Fact name="Ended">
                  <Moment at={subject.completedAt} />
                </Fact>
              )}
              {subject.expiresAt && (
                <Fact name="Stays open until">
                  <Moment at={subject.expiresAt} />
                </Fact>
              )}
              <Fact name="Size">{formats.bytes(subject.totalBytes)}</Fact>
              {subject.tags.length > 0 && <Fact name="Tags">{subject.tags.map(({ name }) => name).join(', ')}</Fact>}
            </dl>
          </Card>
        </div>
        {subject.status === 'open' && (
          <Card
            title="This import is open"
            lead={
              missing === 0
                ? 'Its photos are added to the library when you finish it.'
                : `${missing === 1 ? '1 file is' : `${missing} files are`} still missing. Send the missing files, or finish without them.`
            }
          >
            <div class="actions">
              <Form action={`${path}/finish`}>
                <input type="hidden" name="missing" value={missing === 0 ? 'reject' : 'fail'} />
                <Button kind={missing === 0 ? 'primary' : 'plain'}>
                  {missing === 0 ? 'Finish' : 'Finish without them'}
                </Button>
              </Form>
              <LinkButton href={`/settings/import?import=${subject.id}`} label="Send more files" />
              <LinkButton href={`${path}/discard`} label="Discard" />
            </div>
          </Card>
        )}
        {items.data.length > 0 && (
          <section class="not-in" aria-label="Failed files">
            <h2>Failed files</h2>
            <Table
              caption="Failed files"
              columns={['File', 'Why', 'Size']}
              rows={items.data.map((item) => ({
                key: item.id,
                cells: [
                  item.filename,
                  item.status === 'failed' ? failureOf(item, this.ports.limits) : 'Not received yet.',
                  item.sizeBytes === null ? '' : formats.bytes(item.sizeBytes),
                ],
              }))}
            />
          </section>
        )}
        {items.nextCursor && (
          <p class="more">
            <LinkButton href={address(path, { cursor: items.nextCursor })} label="Next page" rel="next" />
          </p>
        )}
      </>,
    );
  }

  /** For scripts: its state, with the first failed items. */
  @Get(':id/state')
  async state(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const request = { statuses: ['failed'] as const, limit: ITEMS, cursor: null };
    const { import: subject, page: failed } = await listImportPhotos(this.ports, callerOfPage(context), id, request);
    const { status, counts } = subject;
    const reasons = failed.data.map((item) => {
      return { id: item.id, filename: item.filename, reason: failureOf(item, this.ports.limits) };
    });
    return jsonReply({ id, status, counts: { ...counts }, progress: progress(subject), failed: reasons });
  }

  @Post(':id/finish')
  async finish(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const missingUploads = context.form.text('missing', FieldLength.word) === 'fail' ? 'fail' : 'reject';
    return this.finalize(context, id, { action: 'commit', missingUploads });
  }

  @Get(':id/discard')
  async confirmDiscard(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { counts } = await readImport(this.ports, callerOfPage(context), id);
    const path = `/settings/imports/${id}`;
    const confirm = (
      <Confirm title={`Discard import ${id}?`} action={`${path}/discard`} button="Discard import" back={path}>
        <p>
          Its files ({countsText(context.formats, counts)}) are not added to the library. Photos that are already in the
          library are not affected.
        </p>
      </Confirm>
    );
    return this.render(context, { title: 'Discard import', ...imports }, confirm);
  }

  @Post(':id/discard')
  async discard(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const done = { kind: 'done', text: 'Discarded.' } as const;
    return this.finalize(context, id, { action: 'discard', missingUploads: 'fail' }, done);
  }

  /** When the import is not in the state that its page showed, that is said there; every other error gets a page of its own. */
  private async finalize(context: PageContext, id: Id, decision: Finalization, done?: Flash): Promise<Reply> {
    const path = `/settings/imports/${id}`;
    try {
      await finalizeImport(this.ports, callerOfPage(context), id, decision);
      return redirectTo(context, path, done);
    } catch (error) {
      const isOfState =
        error instanceof DomainError && (error.code === 'import_not_open' || error.code === 'uploads_incomplete');
      if (!isOfState) throw error;
      return redirectTo(context, path, { kind: 'failed', text: messageForPeople(error) });
    }
  }
}

const imports = { section: 'imports', styles: ['import.css'], scripts: ['live.js'] };

function cellsOf(formats: Formats, subject: CountedImport) {
  return [
    <>
      <a href={`/settings/imports/${subject.id}`}>{nameOf(subject)}</a>
      {subject.source && <span class="small soft">{subject.source}</span>}
    </>,
    <span data-live-part={`state-${subject.id}`}>
      <State subject={subject} />
    </span>,
    <span data-live-part={`counts-${subject.id}`}>{countsText(formats, subject.counts)}</span>,
    formats.bytes(subject.totalBytes),
    <Moment at={subject.createdAt} />,
  ];
}

function nameOf({ id, name }: Pick<CountedImport, 'id' | 'name'>): string {
  return name ?? `Import ${id}`;
}

/** Whether it changes without any action on this page. */
function isMoving({ status, counts }: CountedImport): boolean {
  return (
    status === 'processing' || (status === 'open' && counts.awaitingUpload + counts.fetching + counts.processing > 0)
  );
}

const states: Readonly<Record<ImportStatus, readonly [Tone, string]>> = {
  open: ['plain', 'Open'],
  processing: ['plain', 'Processing'],
  completed: ['good', 'Completed'],
  completed_with_errors: ['warn', 'Completed, with failures'],
  cancelled: ['plain', 'Discarded'],
  expired: ['warn', 'Expired'],
};

function State({ subject }: { subject: CountedImport }) {
  const [tone, text] = states[subject.status];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {subject.status === 'processing' && (
        <progress class="small-progress" max={1} value={progress(subject)} aria-label="Progress" />
      )}
    </>
  );
}
