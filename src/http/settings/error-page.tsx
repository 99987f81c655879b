import type { Request, Response } from 'express';
import { renderToString } from 'preact-render-to-string';
import type { DomainError } from '../../core/shared/errors.js';
import { statusOfCode } from '../errors/status-of-code.js';
import { Reply } from '../responses/reply.js';
import { applyReply } from '../responses/send-reply.js';
import { isForPrograms, prefersHtml } from '../server/for-programs.js';
import type { RequestContext } from '../server/request-context.js';
import { assetUrl } from './assets.js';
import { messageForPeople } from './error-messages.js';
import { HOME } from './navigation.js';
import { pageHeaders } from './page.js';

/** Thrown if a page must not be shown, or a form not be followed, with the answer to give instead. */
export class AnsweredInstead extends Error {
  override readonly name = 'AnsweredInstead';

  constructor(readonly reply: Reply) {
    super('another answer takes its place');
  }
}

/**
 * People get pages, scripts of pages the error as in the API. In the settings area scripts identify themselves; elsewhere, where programs
 * also call, people are recognized by an Accept header that prefers HTML.
 */
export function wantsPage(requestContext: RequestContext, request: Request): boolean {
  if (isForPrograms(requestContext, request)) return false;
  return requestContext.underSettings ? request.accepts(['html', 'json']) !== 'json' : prefersHtml(request);
}

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not possible',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

/** An error, for a person. Uses nothing that could fail again. */
export function sendErrorPage(error: DomainError, { requestId }: RequestContext, response: Response): void {
  const status = statusOfCode[error.code];
  const title = titles[status] ?? 'That did not work';
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Photo Service`}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('typeface.css')} />
        <link rel="stylesheet" href={assetUrl('settings.css')} />
      </head>
      <body class="plain">
        <main id="content">
          <section class="card">
            <h1>{title}</h1>
            <p>{messageForPeople(error)}</p>
            <p>
              <a class="button plain" href={HOME}>
                Back to the start page
              </a>
            </p>
            <p class="hint">Request {requestId}</p>
          </section>
        </main>
      </body>
    </html>,
  );
  response.send(applyReply(new Reply(status, `<!doctype html>${html}`, pageHeaders([])), response));
}
