import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import type { Ports } from '../../../core/ports.js';
import { searchText } from '../../../core/shared/text.js';
import { listTags } from '../../../core/tags/read-tag.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../responses/reply.js';
import type { Flash } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { importerReach } from '../imports/importer-settings.js';
import { InNavigation } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { LibraryPage } from './library.view.js';
import { libraryFilters, libraryPath, readLibraryQuery } from './library-query.js';
import { ConfirmDeletion } from './photo-deletion.view.js';
import { changeSelected, selectedIds } from './selection.js';

/** Photos per page; enough to fill a large screen. */
const PAGE = 60;
const SUGGESTED_TAGS = 20;

/** The photos of the customer, to browse and to select. */
@Controller('settings/library')
export class LibraryController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('Library', 10)
  @RequireRole('member')
  async list(@CurrentPageContext() context: PageContext, @Query() parameters: Record<string, unknown>): Promise<Reply> {
    const caller = callerOfPage(context);
    const query = readLibraryQuery(parameters);
    const { filters, problems } = await libraryFilters(this.ports, caller, query);
    const cursor = typeof parameters['cursor'] === 'string' ? parameters['cursor'] : null;
    const request = { sort: query.sort, limit: PAGE, cursor };
    const { data, nextCursor } = filters
      ? await listPhotos(this.ports, caller, { ...request, filters })
      : { data: [], nextCursor: null };
    const photos = data.map((photo) => ({ photo, urls: renditionUrls(this.ports, caller, photo) }));
    const words = {
      title: query.trash ? 'Trash' : 'Library',
      section: 'library',
      styles: ['library.css', 'import.css'],
      scripts: ['library.js', 'tag-names.js', 'import.js'],
      reach: await importerReach(this.ports),
    };
    const older = nextCursor && libraryPath(query, nextCursor);
    const content = (
      <LibraryPage query={query} photos={photos} problems={problems} older={older} isFirst={cursor === null} />
    );
    return renderPage(this.ports, context, words, content);
  }

  /** For the script that suggests tags: names that contain these letters. */
  @Get('tag-names')
  @RequireRole('member')
  async tagNames(@CurrentPageContext() context: PageContext, @Query('q') q: unknown): Promise<Reply> {
    const text = typeof q === 'string' ? searchText(q) : '';
    const request = { filters: text === '' ? {} : { q: text }, sort: 'name' as const, limit: SUGGESTED_TAGS };
    const { data } = await listTags(this.ports, callerOfPage(context), { ...request, cursor: null });
    return new Reply(200, { names: data.map(({ name }) => name) }, { 'Cache-Control': 'no-store' });
  }

  /** Applies one action to every selected photo. */
  @Post('selection')
  @RequireRole('member')
  async change(
    @CurrentPageContext() context: PageContext,
    @Query() parameters: Record<string, unknown>,
  ): Promise<Reply> {
    const { form } = context;
    const query = readLibraryQuery(parameters);
    const ids = selectedIds(form.all('ids'));
    const back = (flash: Flash) => redirectTo(context, libraryPath(query), flash);
    if (ids.length === 0) return back({ kind: 'failed', text: 'Select some photos first.' });
    if (form.text('do') === 'delete' && !form.has('confirmed')) {
      const words = { title: 'Delete permanently', section: 'library' };
      return renderPage(this.ports, context, words, <ConfirmDeletion ids={ids} query={query} />);
    }
    try {
      const text = await changeSelected(this.ports, callerOfPage(context), form.text('do'), ids, form.text('tag'));
      return back({ kind: 'done', text });
    } catch (error) {
      return back({ kind: 'failed', text: problemsOf(error).message });
    }
  }
}
