import type { Response } from 'express';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { RenditionName } from '../../core/media/media-reader.js';
import type { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { SHARES_PATH } from '../../http/public-addresses.js';
import { applyReply, Reply } from '../../http/responses/reply.js';
import type { RequestContext } from '../../http/server/request-context.js';
import { type ErrorPage, statusOfCode } from '../../http/status-of-code.js';
import { assetsVersion } from '../assets.controller.js';
import { messageForPeople } from '../form.js';

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
        <link rel="stylesheet" href={shareAssetPath(token, 'base.css')} />
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
export type VisitorSize = keyof typeof visitorSizes;

export function isVisitorSize(text: string): text is VisitorSize {
  return Object.hasOwn(visitorSizes, text);
}

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
