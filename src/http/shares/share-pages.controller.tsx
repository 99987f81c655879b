import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { nextFiles } from '../../core/shares/share.js';
import { listSharedPhotos, readSharedNeighbours, readSharedPhoto } from '../../core/shares/shared-photos.js';
import { requireUploadBudget } from '../../core/shares/visitor-upload.js';
import { NoKeyRequired } from '../access.js';
import { statusOfCode } from '../errors/status-of-code.js';
import { PORTS } from '../ports-token.js';
import { SHARES_PATH } from '../public-addresses.js';
import { PathId } from '../requests/path-id.js';
import { Reply } from '../responses/reply.js';
import { requestContextOf } from '../server/request-context.js';
import { oneOfQuery } from '../settings/address.js';
import { messageForPeople } from '../settings/error-messages.js';
import { FieldLength, readForm } from '../settings/form-fields.js';
import { VisitRecorder } from '../settings/shares/visit-recorder.js';
import { Gallery, PasswordForm, Viewer } from './share.view.js';
import { renderSharePage } from './share-page.js';
import { sharePath } from './share-paths.js';
import { Uploaded } from './upload.view.js';
import { receiveVisitorForm } from './visitor-upload.js';
import { Visitors } from './visitors.js';

/** Photos on a page without a script. */
const PAGE_SIZE = 60;
const LOCKED = 'Shared photos';

/** Pages for visitors who follow the link of a share. */
@Controller(`${SHARES_PATH}/:token`)
@NoKeyRequired()
export class SharePagesController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(Visitors) private readonly visitors: Visitors,
    @Inject(VisitRecorder) private readonly visits: VisitRecorder,
  ) {}

  @Get()
  async show(@Param('token') token: string, @Query('cursor') query: unknown, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.find(request, token);
    if (!this.visitors.isAdmitted(request, share)) return passwordPage(token, null);
    const cursor = oneOfQuery(query) || null;
    const photos = await listSharedPhotos(this.ports, share, { limit: PAGE_SIZE, cursor });
    if (cursor === null && request.method === 'GET') this.visits.note(share);
    const page = {
      token,
      share,
      photos,
      isFirst: cursor === null,
      filesAtOnce: nextFiles(share, this.ports.limits, this.ports.clock.now()),
    };
    return renderSharePage({ token, title: share.title }, <Gallery {...page} />);
  }

  @Post('password')
  async enter(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Reply> {
    const share = await this.visitors.find(request, token);
    const form = await readForm(request);
    try {
      await this.visitors.enter(response, token, share, form.text('password', FieldLength.line));
      return new Reply(303, undefined, { Location: sharePath(token), 'Cache-Control': 'no-store' });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthorized') return passwordPage(token, error);
      throw error;
    }
  }

  @Post('upload')
  async upload(@Param('token') token: string, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.open(request, token);
    const { clientIp } = requestContextOf(request);
    await requireUploadBudget(this.ports, clientIp);
    const form = await readForm(request, this.ports.limits.inlineMaxBytes);
    try {
      const { importId, trouble } = await receiveVisitorForm(this.ports, share, form, clientIp);
      const page = <Uploaded token={token} isEmpty={importId === null} trouble={trouble} />;
      return renderSharePage({ token, title: share.title }, page);
    } finally {
      await form.leave();
    }
  }

  @Get('photos/:id')
  async photo(@Param('token') token: string, @PathId('id') id: Id, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.find(request, token);
    if (!this.visitors.isAdmitted(request, share)) return passwordPage(token, null);
    const photo = await readSharedPhoto(this.ports, share, id);
    const neighbours = await readSharedNeighbours(this.ports, share, photo);
    const page = <Viewer token={token} share={share} photo={photo} neighbours={neighbours} />;
    return renderSharePage({ token, title: photo.title ?? share.title }, page);
  }
}

/** The title of a share is part of what its password protects. */
function passwordPage(token: string, error: DomainError | null): Reply {
  const [status, problem] = error === null ? [200, null] : [statusOfCode[error.code], messageForPeople(error)];
  return renderSharePage({ token, title: LOCKED, status }, <PasswordForm token={token} problem={problem} />);
}
