import type { Request, Response } from 'express';
import { renderToString } from 'preact-render-to-string';
import type { DomainError } from '../../core/shared/errors.js';
import { statusOfCode } from '../errors/status-of-code.js';
import type { Exchange } from '../exchange.js';
import { assetUrl } from './assets.js';
import { HOME } from './navigation.js';
import { pageHeaders } from './page.js';

/** Thrown where a page must not be seen, with the one to see instead. */
export class GoElsewhere extends Error {
  override readonly name = 'GoElsewhere';

  constructor(readonly path: string) {
    super('another page is to be seen');
  }
}

/** People get pages; scripts of pages, which say so, get the error as the API writes it. */
export function wantsPage({ underSettings }: Exchange, request: Request): boolean {
  return underSettings && request.accepts(['html', 'json']) !== 'json';
}

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not possible',
  404: 'Nothing here',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

/** An error, said to a person. Needs nothing that could fail once more. */
export function sendErrorPage({ code, message }: DomainError, { requestId }: Exchange, response: Response): void {
  const status = statusOfCode[code];
  const title = titles[status] ?? 'That did not work';
  const text = code === 'not_found' ? 'This page does not exist, or is not yours to see.' : message;
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Photo Service`}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('settings.css')} />
      </head>
      <body class="plain">
        <main id="content">
          <section class="card">
            <h1>{title}</h1>
            <p>{text}</p>
            <p>
              <a class="button plain" href={HOME}>
                Back to the start
              </a>
            </p>
            <p class="hint">Request {requestId}</p>
          </section>
        </main>
      </body>
    </html>,
  );
  for (const [name, value] of Object.entries(pageHeaders([]))) response.setHeader(name, value);
  response.status(status).send(`<!doctype html>${html}`);
}
