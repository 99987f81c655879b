import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { openFullPicture } from '../../core/delivery/open-named-picture.js';
import { isRenditionName } from '../../core/media/media-reader.js';
import { downloadRendition } from '../../core/photos/renditions/rendition.js';
import { notFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import { openDownload, sendableRendition } from '../../http/responses/photo-download.js';
import { privateHeaders, sendDownload } from '../../http/responses/send-download.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';

/** The bytes of one photo: its original, and pictures of it. */
@Controller('settings/photos')
@RequireRole('viewer')
export class PhotoBytesController extends PageController {
  @Get(':id/original')
  async original(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Res() response: Response,
  ): Promise<void> {
    await sendDownload(context.request, response, await openDownload(this.ports, callerOfPage(context), id, {}));
  }

  /** All pixels, where a browser cannot display the original. */
  @Get(':id/full')
  async full(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Res() response: Response,
  ): Promise<void> {
    const { name, ...download } = await openFullPicture(this.ports, callerOfPage(context), id);
    const { updatedAt: lastModified } = download.photo;
    const about = { entityTag: `"${name}"`, lastModified, filename: `${id}.jpg` };
    await sendDownload(context.request, response, {
      ...download,
      ...about,
      disposition: 'inline',
      headers: privateHeaders,
    });
  }

  /** For pictures without signed addresses: those in the trash. */
  @Get(':id/rendition/:name')
  async rendition(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Param('name') name: string,
    @Res() response: Response,
  ): Promise<void> {
    if (!isRenditionName(name)) throw notFound('rendition');
    const download = await downloadRendition(this.ports, callerOfPage(context), id, { name, trashedToo: true });
    const sendable = { ...sendableRendition(download), disposition: 'inline', headers: privateHeaders } as const;
    await sendDownload(context.request, response, sendable);
  }
}
