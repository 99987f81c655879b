import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { readCustomer } from '../../../core/customers/read-customer.js';
import { readFilterValues } from '../../../core/photos/filter-values.js';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { readPhotoYears } from '../../../core/photos/read-photo-years.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import type { Ports } from '../../../core/ports.js';
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
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { newSharePath } from '../shares/shares-area.js';
import { LibraryPage } from './library.view.js';
import { isPanelOpen } from './library-filters.view.js';
import {
  hasYears,
  type LibraryQuery,
  libraryFilters,
  libraryPath,
  readLibraryQuery,
  selectionPath,
} from './library-query.js';
import { ConfirmDeletion } from './photo-deletion.view.js';
import { countText, photoSections } from './photo-sections.js';
import { changeSelected, selectedIds } from './selection.js';
import { chosenTileSize } from './tile-size.js';

/** Photos per page; enough to fill a large screen. */
const PAGE = 60;

/** The photos of the customer, to browse and to select. */
@Controller('settings/library')
export class LibraryController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('Library', 10)
  @RequireRole('viewer')
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
      years: cursor === null && hasYears(query) ? await readPhotoYears(this.ports, caller) : [],
      older: nextCursor && libraryPath(query, nextCursor),
      isFirst: cursor === null,
      values: isPanelOpen(query, parameters)
        ? await readFilterValues(this.ports, caller, { trashed: query.trash })
        : null,
    };
    return renderPage(this.ports, context, options, <LibraryPage query={query} problems={problems} {...list} />);
  }

  /** Applies one action to every selected photo. */
  @Post('selection')
  @RequireRole('editor')
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
    if (what === 'share') return redirectTo(context, newSharePath(ids));
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
