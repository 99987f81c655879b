import type { Request, Response } from 'express';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { RenditionName } from '../../core/media/media-reader.js';
import type { Neighbours } from '../../core/photos/list-photos.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Page } from '../../core/shared/pagination.js';
import type { Share } from '../../core/shares/share.js';
import { SHARES_PATH } from '../../http/public-addresses.js';
import { applyReply, Reply } from '../../http/responses/reply.js';
import { publicPath } from '../../http/server/base-path.js';
import type { RequestContext } from '../../http/server/request-context.js';
import { type ErrorPage, statusOfCode } from '../../http/status-of-code.js';
import { address } from '../address.js';
import { assetsVersion } from '../assets.controller.js';
import { messageForPeople } from '../form.js';
import { ACCEPTED_FILES } from '../imports/importer.view.js';

interface GalleryProps {
  /** That visitors may add in one request. */
  readonly filesAtOnce: number;
  readonly token: string;
  readonly share: Share;
  readonly photos: Page<PhotoWithTags>;
  readonly isFirst: boolean;
}

export function Gallery({ token, share, photos: { data, nextCursor }, isFirst, filesAtOnce }: GalleryProps) {
  const path = sharePath(token);
  return (
    <>
      <header>
        <h1>{share.title}</h1>
        {share.mayDownload && data.length > 0 && (
          <a class="button" href={`${path}/archive.zip`}>
            Download all
          </a>
        )}
      </header>
      <main>
        {data.length === 0 && <p class="empty">There are no photos here at the moment.</p>}
        <ul class="gallery">
          {data.map((photo) => (
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
        {(nextCursor !== null || !isFirst) && (
          <nav aria-label="Pages">
            {!isFirst && <a href={path}>First page</a>}
            {nextCursor !== null && (
              <a rel="next" href={address(path, { cursor: nextCursor })}>
                More photos
              </a>
            )}
          </nav>
        )}
      </main>
    </>
  );
}

interface ViewerProps {
  readonly token: string;
  readonly share: Share;
  readonly photo: PhotoWithTags;
  readonly neighbours: Neighbours;
}

export function Viewer({ token, share, photo, neighbours }: ViewerProps) {
  const { width, height } = within(photo, LARGE);
  const picture = (size: 'preview' | 'large') => sharedPicturePath(token, photo.id, size);
  return (
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
}

function Step({ token, id, rel, text }: { token: string; id: Id | null; rel: 'prev' | 'next'; text: string }) {
  if (id === null) return <span class="soft">{text}</span>;
  return (
    <a rel={rel} href={sharedPhotoPath(token, id)}>
      {text}
    </a>
  );
}

/** @param problem Why the last attempt failed; null: there was none. */
export function PasswordForm({ token, problem }: { token: string; problem: string | null }) {
  return (
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
    </main>
  );
}

const LARGE = 2560;

/** The size in which the picture is shown, so that nothing moves when it arrives. */
function within({ width, height }: PhotoWithTags, side: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Visitors need not know what the file was called. */
function altOf({ title, id }: PhotoWithTags): string {
  return title ?? `Photo ${id}`;
}

/** Returns what visitors learn of a photo: nothing of where, with what and under what name it was taken, unless they may download it. */
export function sharedPhotoView(request: Request, token: string, { mayDownload }: Share, photo: PhotoWithTags) {
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

/** @param trouble The failure of all or of some; null: there was none. */
export function Uploaded({ token, isEmpty, trouble }: { token: string; isEmpty: boolean; trouble: string | null }) {
  return (
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
}

/** `none` for everything, except files below the link. No one learns the link from the address of the page that a visitor came from. */
const headers = {
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
        <link rel="stylesheet" href={shareAssetPath(token, 'typeface.css')} />
        <link rel="stylesheet" href={shareAssetPath(token, 'share.css')} />
        <script type="module" src={shareAssetPath(token, 'share.js')} />
      </head>
      <body>{content}</body>
    </html>,
  );
  return new Reply(status, `<!doctype html>${html}`, headers);
}

const titles: Readonly<Record<number, string>> = {
  403: 'Not possible',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Not available right now',
};

/** Errors, for visitors. They say nothing of the link, and are the same for one that never was and one that is no more. */
export const shareErrorPage: ErrorPage = { isFor: ({ forVisitors }) => forVisitors, send: sendShareErrorPage };

function sendShareErrorPage(error: DomainError, { requestId }: RequestContext, response: Response): void {
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
}

/** The sizes of pictures that visitors see, and the renditions that they are. */
export const visitorSizes = { thumb: 'thumb', preview: 'medium', large: 'large' } as const satisfies Readonly<
  Record<string, RenditionName>
>;
type VisitorSize = keyof typeof visitorSizes;

export function isVisitorSize(text: string): text is VisitorSize {
  return Object.hasOwn(visitorSizes, text);
}

/** Everything that a share needs is below this path. */
export function sharePath(token: string): string {
  return `/${SHARES_PATH}/${token}`;
}

function sharedPhotoPath(token: string, id: Id): string {
  return `${sharePath(token)}/photos/${id}`;
}

function sharedPicturePath(token: string, id: Id, size: VisitorSize | 'download'): string {
  return `${sharedPhotoPath(token, id)}/${size}`;
}

/** The assets that pages of shares need, by the names that they have there: all in one folder. */
export const shareAssets = {
  'typeface.css': 'styles/typeface.css',
  'inter-latin-wght-normal.woff2': 'styles/inter-latin-wght-normal.woff2',
  'inter-latin-ext-wght-normal.woff2': 'styles/inter-latin-ext-wght-normal.woff2',
  'share.css': 'styles/share.css',
  'share.js': 'share.js',
  'icon.svg': 'styles/icon.svg',
} as const;

function shareAssetPath(token: string, name: keyof typeof shareAssets): string {
  return `${sharePath(token)}/assets/${assetsVersion}/${name}`;
}
