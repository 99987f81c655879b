import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { renderToString } from 'preact-render-to-string';
import { readCustomer } from '../../../core/customers/read-customer.js';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import type { Ports } from '../../../core/ports.js';
import { parseId } from '../../../core/shared/ids.js';
import { searchText } from '../../../core/shared/text.js';
import { listTags } from '../../../core/tags/read-tag.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../responses/reply.js';
import { requestContextOf } from '../../server/request-context.js';
import { oneOfQuery } from '../address.js';
import type { Flash } from '../browser-session.js';
import { wantsPage } from '../error-page.js';
import { problemsOf } from '../form.js';
import { importerReach } from '../imports/importer-settings.js';
import { InNavigation } from '../navigation.js';
import { pageHeaders, redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { LibraryPage } from './library.view.js';
import { type LibraryQuery, libraryFilters, libraryPath, readLibraryQuery, selectionPath } from './library-query.js';
import { ConfirmDeletion } from './photo-deletion.view.js';
import { PhotoTiles } from './photo-grid.view.js';
import { countText, photoSections } from './photo-sections.js';
import { changeSelected, selectedIds } from './selection.js';
import { chosenTileSize } from './tile-size.js';

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
    const { customer, usage } = await readCustomer(this.ports, caller);
    const options = {
      title: query.trash ? 'Trash' : 'Library',
      section: 'library',
      styles: ['library.css', 'viewer.css', 'import.css'],
      scripts: ['library.js', 'tag-names.js', 'import.js'],
      reach: await importerReach(this.ports),
      isWide: true,
    };
    const list = {
      sections: photoSections(photos, query.sort, customer.defaultTimeZone),
      size: chosenTileSize(context, parameters),
      count: countText(query, { usage, shown: data.length, isAll: cursor === null && nextCursor === null }),
      older: nextCursor && libraryPath(query, nextCursor),
      isFirst: cursor === null,
    };
    return renderPage(this.ports, context, options, <LibraryPage query={query} problems={problems} {...list} />);
  }

  /** For the script that fills the grid: some photos by their ids, in the order of the list. */
  @Get('tiles')
  @RequireRole('member')
  async tiles(
    @CurrentPageContext() context: PageContext,
    @Query() parameters: Record<string, unknown>,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    const query = readLibraryQuery(parameters);
    const ids = oneOfQuery(parameters['ids'])
      .split(',')
      .flatMap((text) => parseId(text) ?? []);
    const filters = { ids: ids.slice(0, PAGE), trashed: query.trash ? ('true' as const) : ('false' as const) };
    const { data } = await listPhotos(this.ports, caller, { filters, sort: query.sort, limit: PAGE, cursor: null });
    const photos = data.map((photo) => ({ photo, urls: renditionUrls(this.ports, caller, photo) }));
    const size = chosenTileSize(context, parameters);
    const html = renderToString(<PhotoTiles photos={photos} query={query} size={size} />);
    return new Reply(200, html, pageHeaders([]));
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
    // A form that takes an action back names its own in its address.
    const what = form.text('do') || oneOfQuery(parameters['do']);
    if (ids.length === 0) return this.answer(context, query, { kind: 'failed', text: 'Select some photos first.' });
    if (what === 'delete' && !form.has('confirmed')) {
      const options = { title: 'Delete permanently', section: 'library' };
      return renderPage(this.ports, context, options, <ConfirmDeletion ids={ids} query={query} />);
    }
    const selection = { ids, tag: form.text('tag'), path: (action: string) => selectionPath(query, action) };
    try {
      const done = await changeSelected(this.ports, callerOfPage(context), what, selection);
      return this.answer(context, query, { kind: 'done', ...done });
    } catch (error) {
      return this.answer(context, query, { kind: 'failed', text: problemsOf(error).message });
    }
  }

  /** Scripts show the message where the person is; without them, the list begins anew. */
  private answer(context: PageContext, query: LibraryQuery, flash: Flash): Reply {
    if (wantsPage(requestContextOf(context.request), context.request))
      return redirectTo(context, libraryPath(query), flash);
    return new Reply(200, flash, { 'Cache-Control': 'no-store' });
  }
}
