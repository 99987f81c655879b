import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { nextFiles } from '../../core/shares/share.js';
import { listSharedPhotos, readSharedNeighbours, readSharedPhoto } from '../../core/shares/shared-photos.js';
import { requireUploadBudget } from '../../core/shares/visitor-upload.js';
import { NoKeyRequired } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { SHARES_PATH } from '../../http/public-addresses.js';
import { PathId } from '../../http/requests/parameters.js';
import { Reply } from '../../http/responses/reply.js';
import { requestContextOf } from '../../http/server/request-context.js';
import { statusOfCode } from '../../http/status-of-code.js';
import { address, oneOfQuery } from '../address.js';
import { messageForPeople } from '../form.js';
import { FieldLength, readForm } from '../form-fields.js';
import { ACCEPTED_FILES } from '../imports/importer.view.js';
import { renditionSize } from '../picture.js';
import { renderSharePage, sharedPhotoPath, sharedPicturePath, sharePath, Visitors } from './share.controller.js';
import { VisitRecorder } from './visit-recorder.js';
import { receiveVisitorForm } from './visitor-upload.js';

/** Photos on a page without a script. */
const PAGE_SIZE = 60;

@Controller(`${SHARES_PATH}/:token`)
@NoKeyRequired()
export class SharePagesController {
  @Inject(PORTS) private readonly ports: Ports;
  @Inject(Visitors) private readonly visitors: Visitors;
  @Inject(VisitRecorder) private readonly visits: VisitRecorder;

  @Get()
  async show(@Param('token') token: string, @Query('cursor') query: unknown, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.find(request, token);
    if (!this.visitors.isAdmitted(request, share)) return passwordPage(token, null);
    const cursor = oneOfQuery(query) || null;
    const photos = await listSharedPhotos(this.ports, share, { limit: PAGE_SIZE, cursor });
    if (cursor === null && request.method === 'GET') this.visits.note(share);
    const isFirst = cursor === null;
    const filesAtOnce = nextFiles(share, this.ports.limits, this.ports.clock.now());
    const path = sharePath(token);
    return renderSharePage(
      { token, title: share.title },
      <>
        <header>
          <h1>{share.title}</h1>
          {share.mayDownload && photos.data.length > 0 && (
            <a class="button" href={`${path}/archive.zip`}>
              Download all
            </a>
          )}
        </header>
        <main>
          {photos.data.length === 0 && <p class="empty">There are no photos here at the moment.</p>}
          <ul class="gallery">
            {photos.data.map((photo) => (
              <li key={photo.id}>
                <a href={sharedPhotoPath(token, photo.id)}>
                  <img src={sharedPicturePath(token, photo.id, 'thumb')} alt={altOf(photo)} loading="lazy" />
                </a>
              </li>
            ))}
          </ul>
          {filesAtOnce > 0 && (
            <form class="upload" method="post" action={`${sharePath(token)}/upload`} enctype="multipart/form-data">
              <label for="files">
                {filesAtOnce === 1 ? 'Add a photo of your own' : `Add your own photos, up to ${filesAtOnce} at once`}
              </label>
              <input type="file" id="files" name="file" multiple={filesAtOnce > 1} accept={ACCEPTED_FILES} required />
              <button class="button" type="submit">
                Send
              </button>
            </form>
          )}
          {(photos.nextCursor !== null || !isFirst) && (
            <nav aria-label="Pages">
              {!isFirst && <a href={path}>First page</a>}
              {photos.nextCursor !== null && (
                <a rel="next" href={address(path, { cursor: photos.nextCursor })}>
                  More photos
                </a>
              )}
            </nav>
          )}
        </main>
      </>,
    );
  }

  @Post('password')
  async enter(@Param('token') token: string, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    const share = await this.visitors.find(response.req, token);
    const form = await readForm(response.req);
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
      const isEmpty = importId === null;
      const page = (
        <main>
          <h1>{isEmpty ? 'Nothing was added' : 'Your photos have arrived'}</h1>
          {trouble !== null && <p role="alert">{trouble}</p>}
          {!isEmpty && (
            <p>They are checked now. The person who shared these photos with you decides whether they appear here.</p>
          )}
          <p>
            <a href={sharePath(token)}>Back to the photos</a>
          </p>
        </main>
      );
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
    // The size in which the picture is shown, so that nothing moves when it arrives.
    const { width, height } = renditionSize(photo, 'large');
    const picture = (size: 'preview' | 'large') => sharedPicturePath(token, photo.id, size);
    const page = (
      <main class="viewer">
        <nav aria-label="Photos">
          <a rel="up" href={sharePath(token)}>
            {share.title}
          </a>
          <Step token={token} id={neighbours.previous} rel="prev" text="Previous" />
          <Step token={token} id={neighbours.next} rel="next" text="Next" />
          {share.mayDownload && (
            <a class="button" href={sharedPicturePath(token, photo.id, 'download')}>
              Download
            </a>
          )}
        </nav>
        <figure>
          <img
            src={picture('preview')}
            srcset={`${picture('preview')} 1280w, ${picture('large')} 2560w`}
            sizes="100vw"
            width={width}
            height={height}
            alt={altOf(photo)}
          />
          <figcaption>
            <h1>{altOf(photo)}</h1>
          </figcaption>
        </figure>
      </main>
    );
    return renderSharePage({ token, title: photo.title ?? share.title }, page);
  }
}

/** The title of a share is part of what its password protects. */
function passwordPage(token: string, error: DomainError | null): Reply {
  const [status, problem] = error === null ? [200, null] : [statusOfCode[error.code], messageForPeople(error)];
  return renderSharePage(
    { token, title: 'Shared photos', status },
    <main class="password">
      <h1>A password is needed</h1>
      <form method="post" action={`${sharePath(token)}/password`}>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required />
        <button class="button" type="submit">
          Show the photos
        </button>
      </form>
    </main>,
  );
}

function Step({ token, id, rel, text }: { token: string; id: Id | null; rel: 'prev' | 'next'; text: string }) {
  if (id === null) return <span class="soft">{text}</span>;
  return (
    <a rel={rel} href={sharedPhotoPath(token, id)}>
      {text}
    </a>
  );
}

/** Visitors need not know what the file was called. */
function altOf({ title, id }: PhotoWithTags): string {
  return title ?? `Photo ${id}`;
}
