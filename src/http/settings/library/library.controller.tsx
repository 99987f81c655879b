import { Controller, Get, Inject, Query } from '@nestjs/common';
import { activeBulkEdits } from '../../../core/bulk-edits/start-bulk-edit.js';
import { readCustomer } from '../../../core/customers/edit-customer.js';
import { readFilterValues } from '../../../core/photos/filter-values.js';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { readPhotoYears } from '../../../core/photos/months.js';
import { renditionUrls } from '../../../core/photos/renditions/rendition.js';
import type { Ports } from '../../../core/ports.js';
import { listSearches } from '../../../core/searches/save-search.js';
import { RequireRole } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { importerReach } from '../imports/importer-settings.js';
import { hasYears, libraryFilters, libraryPath, readLibraryQuery } from '../library-query/library-query.js';
import { tileOrigins } from '../map/world.js';
import { InNavigation } from '../navigation.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { LibraryPage } from './library.view.js';
import { isPanelOpen } from './library-filters.view.js';
import { countText, photoSections } from './photo-sections.js';
import { chosenTileSize } from './tile-size.js';

/** Photos per page; enough to fill a large screen. */
const PAGE = 60;

/** The photos of the customer, to browse and to select. */
@Controller('settings/library')
export class LibraryController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly http: HttpOptions,
  ) {}

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
      // The map is in the viewer, with the rest of a photo's page.
      styles: ['library.css', 'viewer.css', 'map.css', 'import.css'],
      pictures: tileOrigins(this.http),
      scripts: ['library.js', 'tag-names.js', 'time-zones.js', 'import.js'],
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
      searches: cursor === null ? await listSearches(this.ports, caller) : [],
      values: isPanelOpen(query, parameters)
        ? await readFilterValues(this.ports, caller, { trashed: query.trash })
        : null,
      edits: await activeBulkEdits(this.ports, caller),
    };
    return renderPage(this.ports, context, options, <LibraryPage query={query} problems={problems} {...list} />);
  }
}
