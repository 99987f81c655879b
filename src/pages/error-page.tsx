import type { Response } from 'express';
import { renderToString } from 'preact-render-to-string';
import type { DomainError } from '../core/shared/errors.js';
import { applyReply, Reply } from '../http/responses/reply.js';
import type { RequestContext } from '../http/server/request-context.js';
import { type ErrorPage, statusOfCode } from '../http/status-of-code.js';
import { assetUrl } from './assets.controller.js';
import { messageForPeople } from './form.js';
import { pageHeaders, STYLES } from './page.js';
import { HOME } from './page-context.js';
import { LinkButton } from './parts.js';

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not possible',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

/** Errors of every path, unless other pages show them. Uses nothing that could fail again. */
export const errorPage: ErrorPage = {
  isFor: () => true,
  send: sendErrorPage,
  message: (error, { underSettings }) => (underSettings ? messageForPeople(error) : error.message),
};

function sendErrorPage(error: DomainError, { requestId }: RequestContext, response: Response): void {
  const status = statusOfCode[error.code];
  const title = titles[status] ?? 'That did not work';
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Photo Service`}</title>
        <link rel="icon" href={assetUrl('styles/icon.svg')} type="image/svg+xml" />
        {STYLES.map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(`styles/${name}`)} />
        ))}
      </head>
      <body class="plain">
        <main id="content">
          <section class="card">
            <h1>{title}</h1>
            <p>{messageForPeople(error)}</p>
            <p>
              <LinkButton href={HOME} label="Back to the start page" />
            </p>
            <p class="hint">Request {requestId}</p>
          </section>
        </main>
      </body>
    </html>,
  );
  response.send(applyReply(new Reply(status, `<!doctype html>${html}`, pageHeaders([])), response));
}
