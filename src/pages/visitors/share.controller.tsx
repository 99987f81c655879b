import { hash } from 'node:crypto';
import { Controller, Get, Inject, Injectable, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ByteRange, OpenBlob } from '../../core/blobs/blob-store.js';
import type { RenditionName } from '../../core/media/media-reader.js';
import type { StoredOriginal } from '../../core/photos/list-photos.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { Ports } from '../../core/ports.js';
import { DAY } from '../../core/shared/clock.js';
import { DomainError, notFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { pseudonym } from '../../core/shared/secrets.js';
import type { Share } from '../../core/shares/share.js';
import {
  listSharedOriginals,
  listSharedPhotos,
  openSharedOriginal,
  openSharedRendition,
} from '../../core/shares/shared-photos.js';
import {
  enterShare,
  isAdmitted,
  KNOWN_DAYS,
  openShare,
  requireArchiveBudget,
  requireVisitBudget,
} from '../../core/shares/visitors.js';
import { NoKeyRequired } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { SHARES_PATH } from '../../http/public-addresses.js';
import { PathId } from '../../http/requests/parameters.js';
import { sendableRendition } from '../../http/responses/photo-download.js';
import { applyReply, listView, Reply } from '../../http/responses/reply.js';
import { privateHeaders, type Sendable, sendDownload } from '../../http/responses/send-download.js';
import { withFileNames, type ZipEntry, zipOf, zipSize } from '../../http/responses/zip.js';
import { publicPath } from '../../http/server/base-path.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { requestContextOf } from '../../http/server/request-context.js';
import { type ErrorPage, statusOfCode } from '../../http/status-of-code.js';
import { oneOfQuery } from '../address.js';
import { assetsVersion, findAsset, sendAsset } from '../assets.controller.js';
import { cookieOf, isSecure } from '../browser-session.js';
import { messageForPeople } from '../form.js';

const PASS_COOKIE = 'phs_share';

/** Who follows the link of a share: a budget, the link, and the password if it has one, in this order. */
@Injectable()
export class Visitors {
  @Inject(PORTS) private readonly ports: Ports;
  @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder;

  /** The share that a visitor may see. Errors: `rate_limited`, `not_found`, `url_forbidden` (the password is missing). */
  async open(request: Request, token: string): Promise<Share> {
    const share = await this.find(request, token);
    if (this.isAdmitted(request, share)) return share;
    throw new DomainError('url_forbidden', 'Open the page of this link first, and enter its password.');
  }

  /** The share of the link, whether or not the visitor may see it. Errors: `rate_limited`, `not_found`. */
  async find(request: Request, token: string): Promise<Share> {
    request.res?.setHeader('X-Robots-Tag', 'noindex, nofollow');
    await requireVisitBudget(this.ports, requestContextOf(request).clientIp);
    const share = await openShare(this.ports, token);
    if (request.res) this.traffic.followBytes(request, request.res, share.customerId, 'shares');
    return share;
  }

  isAdmitted(request: Request, share: Share): boolean {
    return isAdmitted(this.ports, share, cookieOf(request, PASS_COOKIE));
  }

  /** Gives the browser a cookie that is sent for this link alone. Errors: `unauthorized`, `rate_limited`. */
  async enter(response: Response, token: string, share: Share, password: string): Promise<void> {
    const address = requestContextOf(response.req).clientIp;
    const pass = await enterShare(this.ports, share, { password, address, pass: cookieOf(response.req, PASS_COOKIE) });
    response.cookie(PASS_COOKIE, pass, {
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(this.ports),
      path: `${this.ports.addresses.basePath}${sharePath(token)}`,
      // Longer than it admits: a browser that has entered before is not locked out by the guesses of others.
      maxAge: KNOWN_DAYS * DAY,
    });
  }
}

/** Browsers ask again each time: a photo that is trashed, or a share that is revoked, is gone at once. */
const headers = { ...privateHeaders, 'Referrer-Policy': 'no-referrer' } as const;

/** The files that the pages of a share consist of, and those that visitors may download. */
@Controller(`${SHARES_PATH}/:token`)
@NoKeyRequired()
export class ShareFilesController {
  @Inject(PORTS) private readonly ports: Ports;
  @Inject(Visitors) private readonly visitors: Visitors;

  @Get('photos.json')
  async list(@Param('token') token: string, @Query('cursor') query: unknown, @Req() request: Request): Promise<Reply> {
    const share = await this.visitors.open(request, token);
    const page = await listSharedPhotos(this.ports, share, { limit: 100, cursor: oneOfQuery(query) || null });
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
  async original(@Param('token') token: string, @PathId('id') id: Id, @Res() response: Response): Promise<void> {
    const share = await this.visitors.open(response.req, token);
    const download = await openSharedOriginal(this.ports, share, id);
    const { sha256, createdAt, filename } = download.photo;
    const about = { entityTag: `"sha256-${sha256}"`, lastModified: createdAt, filename };
    await sendDownload(response.req, response, { ...download, ...about, disposition: 'attachment', headers });
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
    if (!Object.hasOwn(visitorSizes, size)) throw notFound('rendition');
    const download = await openSharedRendition(this.ports, share, id, visitorSizes[size as VisitorSize]);
    // Visitors need not know what the file was called, nor its SHA-256: who has files could find out which of them it is.
    const filename = `${id}.${download.format === 'jpeg' ? 'jpg' : download.format}`;
    const rendition = sendableRendition(download);
    const entityTag = `"${pseudonym(this.ports.secrets, 'shared-picture', rendition.entityTag)}"`;
    await sendDownload(request, response, { ...rendition, entityTag, filename, disposition: 'inline', headers });
  }

  /** The same for everyone, whatever the link. */
  @Get('assets/:version/:name')
  asset(@Param('version') version: string, @Param('name') name: string, @Res() response: Response): void {
    const asset = Object.hasOwn(shareAssets, name)
      ? findAsset(shareAssets[name as keyof typeof shareAssets])
      : undefined;
    if (asset === undefined) throw notFound('asset');
    sendAsset(response, version, asset);
  }
}

interface ArchivedPhoto extends StoredOriginal {
  readonly path: string;
}

/** All originals of a share as one archive, whose bytes follow from the list of photos alone. Errors: `not_found`, `limit_reached`. */
async function openArchive(
  ports: Ports,
  share: Share,
  token: string,
): Promise<Omit<Sendable, 'disposition' | 'headers'>> {
  const photos = withFileNames(await listSharedOriginals(ports, share));
  const sizeBytes = zipSize(photos);
  // The ETag is of all that the bytes depend on. Times in archives are in the zone of the process.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const facts = photos.map(({ path, sha256, modifiedAt }) => [path, sha256, modifiedAt.getTime()]);
  const etag = hash('sha256', JSON.stringify([zone, facts])).slice(0, 32);
  const open = async (range?: ByteRange): Promise<OpenBlob> => {
    const bytes = zipOf(entriesOf(ports, token, photos));
    return { sizeBytes, etag, bytes: range === undefined ? bytes : within(bytes, range) };
  };
  return {
    ...{ contentType: 'application/zip', entityTag: `"${etag}"`, lastModified: null },
    filename: `${share.title}.zip`,
    info: async () => ({ sizeBytes, etag }),
    open,
    // It is no blob. Only servers in front ask, and none sends archives.
    blobKey: () => Promise.reject(new Error('An archive is not stored.')),
  };
}

/** Opened one after another. Who may see them is asked for each: an archive ends, incomplete, once its share is revoked. */
async function* entriesOf(ports: Ports, token: string, photos: readonly ArchivedPhoto[]): AsyncGenerator<ZipEntry> {
  for (const { id, path, modifiedAt, sizeBytes } of photos) {
    const original = await openSharedOriginal(ports, await openShare(ports, token), id);
    const { bytes } = await original.open();
    yield { path, modifiedAt, sizeBytes, bytes };
  }
}

/** Returns the bytes in the range. Earlier ones are read and dropped: the checksums at the end of the archive need them. */
async function* within(bytes: AsyncIterable<Uint8Array>, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of bytes) {
    const from = Math.max(0, start - position);
    const wanted = chunk.subarray(from, Math.max(from, end + 1 - position));
    position += chunk.length;
    if (wanted.length > 0) yield wanted;
    if (position > end) return;
  }
}

/** Returns what visitors learn of a photo: nothing of where, with what and under what name it was taken, unless they may download it. */
function sharedPhotoView(request: Request, token: string, { mayDownload }: Share, photo: PhotoWithTags) {
  const { id, title, width, height, thumbhash, dominantColor } = photo;
  const at = (size: VisitorSize | 'download') => publicPath(request, sharedPicturePath(token, id, size));
  return {
    ...{ id, title, width, height, thumbhash, dominantColor },
    thumb: at('thumb'),
    preview: at('preview'),
    large: at('large'),
    download: mayDownload ? at('download') : null,
  };
}

/** `none` for everything, except files below the link. No one learns the link from the address of the page that a visitor came from. */
const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** A page for visitors. It needs no script. */
export function renderSharePage(
  { token, title, status = 200 }: { token: string; title: string; status?: number },
  content: ComponentChildren,
): Reply {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <link rel="icon" href={shareAssetPath(token, 'icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={shareAssetPath(token, 'base.css')} />
        <link rel="stylesheet" href={shareAssetPath(token, 'share.css')} />
        <script type="module" src={shareAssetPath(token, 'share.js')} />
      </head>
      <body>{content}</body>
    </html>,
  );
  return new Reply(status, `<!doctype html>${html}`, pageHeaders);
}

const titles: Readonly<Record<number, string>> = {
  403: 'Not possible',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Not available right now',
};

/** Errors, for visitors. They say nothing of the link, and are the same for one that never was and one that is no more. */
export const shareErrorPage: ErrorPage = {
  isFor: ({ forVisitors }) => forVisitors,
  send: (error, { requestId }, response) => {
    const status = statusOfCode[error.code];
    const title = titles[status] ?? 'That did not work';
    const page = renderSharePage(
      { token: '-', title, status },
      <main>
        <h1>{title}</h1>
        <p>{error.code === 'not_found' ? error.message : messageForPeople(error)}</p>
        <p class="soft">Request {requestId}</p>
      </main>,
    );
    response.send(applyReply(page, response));
  },
};

/** The sizes of pictures that visitors see, and the renditions that they are. */
export const visitorSizes = { thumb: 'thumb', preview: 'medium', large: 'large' } as const satisfies Readonly<
  Record<string, RenditionName>
>;
type VisitorSize = keyof typeof visitorSizes;

/** Everything that a share needs is below this path. */
export function sharePath(token: string): string {
  return `/${SHARES_PATH}/${token}`;
}

export function sharedPhotoPath(token: string, id: Id): string {
  return `${sharePath(token)}/photos/${id}`;
}

export function sharedPicturePath(token: string, id: Id, size: VisitorSize | 'download'): string {
  return `${sharedPhotoPath(token, id)}/${size}`;
}

/** The assets that pages of shares need, by the names that they have there: all in one folder. */
export const shareAssets = {
  'base.css': 'styles/base.css',
  'inter-latin-wght-normal.woff2': 'styles/inter-latin-wght-normal.woff2',
  'inter-latin-ext-wght-normal.woff2': 'styles/inter-latin-ext-wght-normal.woff2',
  'share.css': 'styles/share.css',
  'share.js': 'share.js',
  'icon.svg': 'styles/icon.svg',
} as const;

function shareAssetPath(token: string, name: keyof typeof shareAssets): string {
  return `${sharePath(token)}/assets/${assetsVersion}/${name}`;
}
