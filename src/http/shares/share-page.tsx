import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Reply } from '../responses/reply.js';
import { shareAssetPath } from './share-paths.js';

/** `none` for everything, except files below the link. Nobody learns the link from the address of the page that a visitor came from. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

interface SharePageOptions {
  readonly token: string;
  readonly title: string;
  /** Default: 200. */
  readonly status?: number;
}

/** A page for visitors. It needs no script. */
export function renderSharePage({ token, title, status = 200 }: SharePageOptions, content: ComponentChildren): Reply {
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
