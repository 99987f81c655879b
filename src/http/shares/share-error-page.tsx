import type { Response } from 'express';
import type { DomainError } from '../../core/shared/errors.js';
import type { ErrorPage } from '../errors/error.filter.js';
import { statusOfCode } from '../errors/status-of-code.js';
import { applyReply } from '../responses/send-reply.js';
import type { RequestContext } from '../server/request-context.js';
import { messageForPeople } from '../settings/error-messages.js';
import { renderSharePage } from './share-page.js';

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
