import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { notFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { pseudonym } from '../../core/shared/secrets.js';
import { listSharedPhotos, openSharedOriginal, openSharedRendition } from '../../core/shares/shared-photos.js';
import { requireArchiveBudget } from '../../core/shares/visits.js';
import { NoKeyRequired } from '../access.js';
import { sendableRendition } from '../api/photos/photo-bytes.js';
import { PORTS } from '../ports-token.js';
import { SHARES_PATH } from '../public-addresses.js';
import { PathId } from '../requests/path-id.js';
import { listView } from '../responses/list-view.js';
import { Reply } from '../responses/reply.js';
import { privateHeaders, sendDownload } from '../responses/send-download.js';
import { requestContextOf } from '../server/request-context.js';
import { oneOfQuery } from '../settings/address.js';
import { findAsset } from '../settings/assets.js';
import { openArchive } from './share-archive.js';
import { isVisitorSize, shareAssets, visitorSizes } from './share-paths.js';
import { sharedPhotoView } from './shared-photo.view.js';
import { Visitors } from './visitors.js';

const PAGE_SIZE = 100;
/** Browsers ask again each time: a photo that is trashed, or a share that is revoked, is gone at once. */
const headers = { ...privateHeaders, 'Referrer-Policy': 'no-referrer' } as const;

/** What the pages of a share consist of, and what visitors may download. */
@Controller(`${SHARES_PATH}/:token`)
@NoKeyRequired()
export class ShareFilesController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(Visitors) private readonly visitors: Visitors,
  ) {}

  @Get('photos.json')
  async list(@Param('token') token: string, @Query('cursor') query: unknown, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.open(request, token);
    const page = await listSharedPhotos(this.ports, share, { limit: PAGE_SIZE, cursor: oneOfQuery(query) || null });
    return new Reply(
      200,
      listView(page, (photo) => sharedPhotoView(request, token, share, photo)),
      headers,
    );
  }

  @Get('archive.zip')
  async archive(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const share = await this.visitors.open(request, token);
    await requireArchiveBudget(this.ports, requestContextOf(request).clientIp);
    const archive = await openArchive(this.ports, share, token);
    await sendDownload(request, response, { ...archive, disposition: 'attachment', headers });
  }

  @Get('photos/:id/download')
  async original(
    @Param('token') token: string,
    @PathId('id') id: Id,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const share = await this.visitors.open(request, token);
    const download = await openSharedOriginal(this.ports, share, id);
    const { sha256, createdAt, filename } = download.photo;
    const about = { entityTag: `"sha256-${sha256}"`, lastModified: createdAt, filename };
    await sendDownload(request, response, { ...download, ...about, disposition: 'attachment', headers });
  }

  @Get('photos/:id/:size')
  async picture(
    @Param('token') token: string,
    @PathId('id') id: Id,
    @Param('size') size: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const share = await this.visitors.open(request, token);
    if (!isVisitorSize(size)) throw notFound('rendition');
    const download = await openSharedRendition(this.ports, share, id, visitorSizes[size]);
    // Visitors need not know what the file was called, nor its SHA-256: who has files could find out which of them it is.
    const filename = `${id}.${download.format === 'jpeg' ? 'jpg' : download.format}`;
    const rendition = sendableRendition(download);
    const entityTag = `"${pseudonym(this.ports.secrets, 'shared-picture', rendition.entityTag)}"`;
    await sendDownload(request, response, { ...rendition, entityTag, filename, disposition: 'inline', headers });
  }

  /** The same for everyone, whatever the link. */
  @Get('assets/:version/:name')
  asset(@Param('name') name: string, @Res() response: Response): void {
    const asset = shareAssets.some((each) => each === name) ? findAsset(name) : undefined;
    if (asset === undefined) throw notFound('asset');
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Content-Type', asset.type);
    response.end(asset.bytes);
  }
}
