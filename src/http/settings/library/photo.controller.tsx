import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { openFullPicture } from '../../../core/delivery/open-full-picture.js';
import { isRenditionName } from '../../../core/media/renditions.js';
import { downloadRendition } from '../../../core/photos/download-rendition.js';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { readNeighbours } from '../../../core/photos/read-neighbours.js';
import { readPhoto } from '../../../core/photos/read-photo.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import type { Ports } from '../../../core/ports.js';
import { notFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { openDownload, sendableRendition } from '../../api/photos/photo-bytes.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { sendDownload } from '../../responses/send-download.js';
import { type Problems, problemsOf } from '../form.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { libraryFilters, photoPath, readLibraryQuery } from './library-query.js';
import { PhotoPage } from './photo.view.js';
import { fieldsOf, type PhotoFields, patchOf, sentFields } from './photo-form.js';
import { photoName } from './picture.js';

type RawQuery = Record<string, unknown>;

/** One photo: its picture, its metadata, and its bytes. Changes are in PhotoChangesController. */
@Controller('settings/photos')
export class PhotoController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get(':id')
  @RequireRole('viewer')
  show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.page(context, id, query, null, null);
  }

  @Post(':id')
  @RequireRole('editor')
  async edit(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    const fields = sentFields(context.form);
    try {
      const caller = callerOfPage(context);
      const { photo } = await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      await editPhoto(this.ports, caller, id, patchOf(fields, photo));
      return redirectTo(context, photoPath(id, readLibraryQuery(query)), { kind: 'done', text: 'Saved.' });
    } catch (error) {
      return this.page(context, id, query, fields, problemsOf(error));
    }
  }

  @Get(':id/original')
  @RequireRole('viewer')
  async original(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDownload(request, response, await openDownload(this.ports, callerOfPage(context), id, {}));
  }

  /** All pixels, where a browser cannot display the original. */
  @Get(':id/full')
  @RequireRole('viewer')
  async full(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { name, ...download } = await openFullPicture(this.ports, callerOfPage(context), id);
    const { updatedAt: lastModified } = download.photo;
    const headers = { 'Cache-Control': 'private, no-cache, no-transform' };
    const about = { entityTag: `"${name}"`, lastModified, filename: `${id}.jpg` };
    await sendDownload(request, response, { ...download, ...about, disposition: 'inline', headers });
  }

  /** For pictures without signed addresses: those in the trash. */
  @Get(':id/rendition/:name')
  @RequireRole('viewer')
  async rendition(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!isRenditionName(name)) throw notFound('rendition');
    const download = await downloadRendition(this.ports, callerOfPage(context), id, { name, trashedToo: true });
    const headers = { 'Cache-Control': 'private, no-cache, no-transform' };
    await sendDownload(request, response, { ...sendableRendition(download), disposition: 'inline', headers });
  }

  private async page(
    context: PageContext,
    id: Id,
    parameters: RawQuery,
    said: PhotoFields | null,
    problems: Problems | null,
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
      styles: ['library.css'],
      scripts: ['photo.js', 'tag-names.js', 'time-zones.js', 'focus.js'],
      isWide: true,
      ...(problems && { status: problems.status }),
    };
    const about = { shown, exif, problems, neighbours, query, fields: said ?? fieldsOf(photo) };
    return renderPage(this.ports, context, options, <PhotoPage {...about} />);
  }
}
