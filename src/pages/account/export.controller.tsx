import { Controller, Get, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { photoView } from '../../api/photos/photo.view.js';
import { tagView } from '../../api/tags/tag.view.js';
import { recordExport } from '../../core/customers/edit-customer.js';
import { listPhotos } from '../../core/photos/list-photos.js';
import { isTrashed, type PhotoWithTags } from '../../core/photos/photo.js';
import { everyPage } from '../../core/shared/pagination.js';
import { listTags } from '../../core/tags/read-tag.js';
import { RequireRole } from '../../http/access.js';
import { sendGenerated, sendLines } from '../../http/responses/send-lines.js';
import { zipOf } from '../../http/responses/zip.js';
import { publicPath } from '../../http/server/base-path.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { BY_ID, libraryArchive, requireArchivable } from './library-archive.js';

/** The metadata of all photos, to take elsewhere: JSON Lines, each object as in the API. */
@Controller('settings/account/export')
@RequireRole('viewer')
export class ExportController extends PageController {
  /** Including the trash. */
  @Get('photos.jsonl')
  async photos(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'photos.jsonl');
    const filters = { trashed: 'any' as const };
    const photos = everyPage((cursor) => listPhotos(this.ports, caller, { ...BY_ID, filters, cursor }));
    await sendLines(context.request, response, 'photos.jsonl', withDownloads(context.request, photos));
  }

  /** All originals too, for those who may erase the account. */
  @Get('library.zip')
  @RequireRole('owner')
  async library(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    await requireArchivable(this.ports, caller);
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'library.zip');
    const file = { filename: 'library.zip', type: 'application/zip' };
    await sendGenerated(context.request, response, file, zipOf(libraryArchive(this.ports, caller)));
  }

  @Get('tags.jsonl')
  async tags(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'tags.jsonl');
    const tags = everyPage((cursor) => listTags(this.ports, caller, { ...BY_ID, filters: {}, cursor }));
    await sendLines(context.request, response, 'tags.jsonl', viewed(tags));
  }
}

async function* viewed(tags: AsyncIterable<Parameters<typeof tagView>[0]>): AsyncGenerator<object> {
  for await (const tag of tags) yield tagView(tag);
}

/** With the path of each original; null if a key cannot get it. */
async function* withDownloads(request: Request, photos: AsyncIterable<PhotoWithTags>): AsyncGenerator<object> {
  for await (const photo of photos) {
    const isThere = !isTrashed(photo) && photo.originalLostAt === null;
    yield {
      ...photoView(photo),
      download: isThere ? publicPath(request, `/api/v1/photos/${photo.id}/download`) : null,
    };
  }
}
