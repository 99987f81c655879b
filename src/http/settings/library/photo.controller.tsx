import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { GeoPoint } from '../../../core/media/picture-metadata.js';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { readNeighbours } from '../../../core/photos/list-photos.js';
import { readPhoto } from '../../../core/photos/read-photo.js';
import { renditionUrls } from '../../../core/photos/renditions/rendition.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { editFlash } from '../history/edit-texts.js';
import { libraryFilters, photoPath, queryText, readLibraryQuery } from '../library-query/library-query.js';
import { tileOrigins } from '../map/world.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { photoName } from '../picture.js';
import { editsOf } from '../shown-values.js';
import { locationText, readLocation } from './location-field.js';
import { PhotoPage, type WrongForm } from './photo.view.js';
import { fieldsOf, type PhotoFields, patchOf, sentFields } from './photo-form.js';
import { editSelected } from './selection.js';

type RawQuery = Record<string, unknown>;

/** One photo: its picture and its metadata. Other changes are in PhotoChangesController, its bytes in PhotoBytesController. */
@Controller('settings/photos')
export class PhotoController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly http: HttpOptions,
  ) {}

  @Get(':id')
  @RequireRole('viewer')
  show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.page(context, id, query);
  }

  @Post(':id')
  @RequireRole('editor')
  async edit(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    const fields = sentFields(context.form);
    const { changed, requireUnchanged } = editsOf(context.form, fields);
    try {
      await editPhoto(this.ports, callerOfPage(context), id, patchOf(changed, fields), (current) =>
        requireUnchanged(fieldsOf(current)),
      );
      return this.saved(context, id, query);
    } catch (error) {
      return this.page(context, id, query, changed, { name: 'details', problems: problemsOf(error) });
    }
  }

  /** In the history, like actions on many photos, so that it can be undone. */
  @Post(':id/location')
  @RequireRole('editor')
  async setLocation(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    const location = context.form.text('location', FieldLength.line).trim();
    const { requireUnchanged } = editsOf(context.form, { location });
    try {
      return await this.moveTo(context, id, query, location, (current) => {
        requireUnchanged({ location: locationText(current) });
        return readLocation(location);
      });
    } catch (error) {
      return this.page(context, id, query, { location }, { name: 'location', problems: problemsOf(error) });
    }
  }

  @Post(':id/location/remove')
  @RequireRole('editor')
  removeLocation(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    return this.moveTo(context, id, query, locationText(null), () => null);
  }

  private saved(context: PageContext, id: Id, query: RawQuery): Reply {
    return redirectTo(context, photoPath(id, readLibraryQuery(query)), { kind: 'done', text: 'Saved.' });
  }

  /** @param text The location as in its field: one that stays keeps its altitude. */
  private async moveTo(
    context: PageContext,
    id: Id,
    parameters: RawQuery,
    text: string,
    read: (current: GeoPoint | null) => ReturnType<typeof readLocation> | null,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    const { photo } = await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
    if (text === locationText(photo.location)) return this.saved(context, id, parameters);
    const location = read(photo.location);
    const query = readLibraryQuery(parameters);
    const edit = await editSelected(this.ports, caller, { kind: 'set_location', location }, [id]);
    const flash = editFlash(edit, `photo=${id}&${queryText(query)}`);
    const done = location === null ? 'Location removed.' : 'Location saved.';
    return redirectTo(context, photoPath(id, query), edit.changed === 1 ? { ...flash, text: done } : flash);
  }

  private async page(
    context: PageContext,
    id: Id,
    parameters: RawQuery,
    sent: Partial<PhotoFields> = {},
    wrong: WrongForm | null = null,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    const query = readLibraryQuery(parameters);
    const { photo, exif } = await readPhoto(this.ports, caller, id, { trashedToo: true, withExif: true });
    const { filters } = await libraryFilters(this.ports, caller, query);
    const neighbours = filters
      ? await readNeighbours(this.ports, caller, photo, { filters, sort: query.sort })
      : { previous: null, next: null };
    const shown = { photo, urls: renditionUrls(this.ports, caller, photo) };
    const options = {
      title: photoName(photo),
      section: 'library',
      styles: ['library.css', 'map.css'],
      scripts: ['photo.js', 'tag-names.js', 'time-zones.js', 'focus.js'],
      isWide: true,
      pictures: tileOrigins(this.http),
      ...(wrong && { status: wrong.problems.status }),
    };
    const tiles = this.http.mapTiles;
    const about = { shown, exif, wrong, neighbours, query, tiles, fields: { ...fieldsOf(photo), ...sent } };
    return renderPage(this.ports, context, options, <PhotoPage {...about} />);
  }
}
