import { Controller, Get, Inject } from '@nestjs/common';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { activeBulkEdits } from '../../core/bulk-edits/manage-bulk-edits.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import { readFilterValues } from '../../core/photos/filter-values.js';
import { countPhotos, listPhotos } from '../../core/photos/list-photos.js';
import { readPhotoMonths, readPhotoYears } from '../../core/photos/months.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import { renditionUrls } from '../../core/photos/renditions/signed-url.js';
import { listSearches } from '../../core/searches/save-search.js';
import { parseId } from '../../core/shared/ids.js';
import type { Page } from '../../core/shared/pagination.js';
import { searchText } from '../../core/shared/text.js';
import { listTags } from '../../core/tags/read-tag.js';
import { RequireRole } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { importerReach } from '../imports/importer.view.js';
import { hasYears, libraryFilters, libraryPath, readLibraryQuery } from '../library-query/library-query.js';
import { jsonReply, PageController, pageHeaders, replyToScript } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext, RenderedFor } from '../page-context.js';
import { shapeClass } from '../picture.js';
import { LibraryPage } from './library.view.js';
import { isPanelOpen } from './library-filters.view.js';
import { LIBRARY_STYLES } from './photo.view.js';
import { chosenTileSize, countText, PhotoTiles, photoSections, Years } from './photo-grid.view.js';
import { tileOrigins } from './world.js';

/** Photos per page; enough to fill a large screen. */
const PAGE = 60;

/** The number of tiles in a request of the script (photo-grid.ts). */
const MAX_TILES = 60;
/** The ids that one action takes at most. */
const IDS = 1000;

/** The library, and the answers that its scripts ask for. Pages without scripts do without. */
@Controller('settings/library')
@RequireRole('viewer')
export class LibraryController extends PageController {
  @Inject(HTTP_OPTIONS) private readonly http: HttpOptions;

  @Get()
  @InNavigation('Library', 10)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const caller = callerOfPage(context);
    const parameters = context.request.query;
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
      styles: [...LIBRARY_STYLES, 'viewer.css', 'map.css', 'import.css'],
      pictures: tileOrigins(this.http),
      scripts: ['library.js', 'tag-names.js', 'time-zones.js', 'import.js'],
      reach: await importerReach(this.ports),
      isWide: true,
    };
    const list = {
      sections: photoSections(context.formats, photos, query.sort, customer.defaultTimeZone),
      size: chosenTileSize(context, parameters),
      count: countText(context.formats, query, {
        usage,
        shown: data.length,
        isAll: cursor === null && nextCursor === null,
      }),
      years: cursor === null && hasYears(query) ? await readPhotoYears(this.ports, caller) : [],
      older: nextCursor && libraryPath(query, nextCursor),
      isFirst: cursor === null,
      searches: cursor === null ? await listSearches(this.ports, caller) : [],
      values: isPanelOpen(query, parameters)
        ? await readFilterValues(this.ports, caller, { trashed: query.trash })
        : null,
      edits: await activeBulkEdits(this.ports, caller),
    };
    return this.render(context, options, <LibraryPage query={query} problems={problems} {...list} />);
  }

  /** Some photos of the library or the trash by their ids, as they stand in the grid. */
  @Get('tiles')
  async tiles(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const caller = callerOfPage(context);
    const parameters = context.request.query;
    const query = readLibraryQuery(parameters);
    const ids = oneOfQuery(parameters['ids'])
      .split(',')
      .flatMap((text) => parseId(text) ?? []);
    const filters = { ids: ids.slice(0, MAX_TILES), trashed: query.trash ? ('true' as const) : ('false' as const) };
    const request = { filters, sort: query.sort, limit: MAX_TILES, cursor: null };
    const { data } = await listPhotos(this.ports, caller, request);
    const photos = data.map((photo) => ({ photo, urls: renditionUrls(this.ports, caller, photo) }));
    const size = chosenTileSize(context, parameters);
    return fragment(context, <PhotoTiles photos={photos} query={query} size={size} />);
  }

  /** The months of the library with their numbers of photos, as they stand beside the photos. */
  @Get('months')
  async months(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const months = await readPhotoMonths(this.ports, callerOfPage(context));
    const years = [...new Set(months.map(({ month }) => Number(month.slice(0, 4))))];
    return fragment(context, <Years query={readLibraryQuery(context.request.query)} years={years} months={months} />);
  }

  /** A part of the list without its pictures, to go on beyond it (older-photos.ts). */
  @Get('sections')
  async sections(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const query = readLibraryQuery(context.request.query);
    const { data, nextCursor } = await this.matching(context);
    const { defaultTimeZone } = (await readCustomer(this.ports, callerOfPage(context))).customer;
    const photos = data.map((photo) => ({ photo, urls: null }));
    const sections = photoSections(context.formats, photos, query.sort, defaultTimeZone).map(
      ({ month, title, photos: own }) => {
        return { month, title, tiles: own.map(({ photo }) => [String(photo.id), shapeClass(photo)]) };
      },
    );
    return replyToScript(context, { sections, older: nextCursor && libraryPath(query, nextCursor) });
  }

  /** The ids of all photos that match, in parts, to select them. */
  @Get('ids')
  async ids(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { data, nextCursor } = await this.matching(context);
    return jsonReply({ ids: data.map(({ id }) => String(id)), nextCursor });
  }

  @Get('count')
  async count(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const caller = callerOfPage(context);
    const { filters } = await libraryFilters(this.ports, caller, readLibraryQuery(context.request.query));
    const count = filters === null ? 0 : await countPhotos(this.ports, caller, filters);
    return jsonReply({ count });
  }

  @Get('tag-names')
  async tagNames(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { q } = context.request.query;
    const text = typeof q === 'string' ? searchText(q) : '';
    const request = { filters: text === '' ? {} : { q: text }, sort: 'name' as const, limit: 20 };
    const { data } = await listTags(this.ports, callerOfPage(context), { ...request, cursor: null });
    return jsonReply({ names: data.map(({ name }) => name) });
  }

  private async matching(context: PageContext): Promise<Page<PhotoWithTags>> {
    const caller = callerOfPage(context);
    const query = readLibraryQuery(context.request.query);
    const { filters } = await libraryFilters(this.ports, caller, query);
    const request = { sort: query.sort, limit: IDS, cursor: oneOfQuery(context.request.query['cursor']) || null };
    return filters ? listPhotos(this.ports, caller, { ...request, filters }) : { data: [], nextCursor: null };
  }
}

/** A part of a page, for its script. */
function fragment(context: PageContext, part: VNode): Reply {
  const html = renderToString(<RenderedFor.Provider value={context}>{part}</RenderedFor.Provider>);
  return new Reply(200, html, pageHeaders([]));
}
