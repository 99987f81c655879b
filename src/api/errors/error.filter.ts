import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AdmissionLog } from '../../core/access/rolling-window.js';
import { underlyingReason } from '../../core/integrity/check-bytes.js';
import type { Ports } from '../../core/ports.js';
import { DomainError, isOutage } from '../../core/shared/errors.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { isSignedPath } from '../../http/public-addresses.js';
import { AnsweredInstead, applyReply } from '../../http/responses/reply.js';
import { ClientGone, discardBody } from '../../http/server/request.js';
import { isForPrograms, type RequestContext, requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { ERROR_PAGES, type ErrorPage, retryAfterOf, statusOfCode } from '../../http/status-of-code.js';
import { openToPages } from '../files/any-origin.js';
import { anonymousBudget, setBudgetHeaders } from '../guards.js';
import { ReplayedError } from '../idempotency/idempotent-responses.js';

/** Headers that a success had prepared before it failed, and that would be wrong on an error. */
const HEADERS_OF_SUCCESS = [
  'X-Accel-Expires',
  'Cache-Tag',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'ETag',
  'Last-Modified',
  'Location',
  'Repr-Digest',
];

/** Every error is sent from here: to people as a page, to programs in the common envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    @Inject(ERROR_PAGES) private readonly pages: readonly ErrorPage[],
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    if (thrown instanceof AnsweredInstead) {
      response.send(applyReply(thrown.reply, response));
      return;
    }
    if (thrown instanceof ClientGone) {
      response.destroy();
      return;
    }
    const error = asDomainError(thrown);
    requestContext.refusal = error.code;
    if (statusOfCode[error.code] >= 500) this.report(thrown, requestContext, request);
    discardBody(request);
    if (response.headersSent) {
      // The client must not take a partial response for the whole.
      response.destroy();
      return;
    }
    if (requestContext.underApi && requestContext.charged === null) {
      // A failure before any budget was charged still has the headers: those of the source address, uncharged.
      const budget = anonymousBudget(requestContext);
      const untouched = () => new AdmissionLog().peek(budget.limit, this.ports.clock.now().getTime());
      setBudgetHeaders(
        requestContext,
        response,
        'anonymous',
        await this.ports.rateWindows.peek(budget).catch(untouched),
      );
    }
    this.answer(error, requestContext, response);
  }

  private answer(error: DomainError, requestContext: RequestContext, response: Response): void {
    const { requestId } = error instanceof ReplayedError ? error : requestContext;
    for (const name of HEADERS_OF_SUCCESS) response.removeHeader(name);
    response.setHeader('Cache-Control', 'no-store');
    if (error.code === 'unauthorized' && requestContext.underApi) response.setHeader('WWW-Authenticate', 'Bearer');
    const wait = retryAfterOf(error);
    // That of a budget of the API is set already (api/guards.ts).
    if (wait !== undefined && !response.hasHeader('Retry-After')) response.setHeader('Retry-After', wait);
    if (!isForPrograms(requestContext, response.req)) response.vary('Accept');
    // Its route would have said so, but a wrong Host header is refused before.
    if (isSignedPath(response.req.path)) openToPages(response);
    const page = this.pages.find((each) => each.isFor(requestContext));
    if (page !== undefined && wantsPage(requestContext, response.req)) {
      page.send(error, requestContext, response);
      return;
    }
    const { code, details } = error;
    const message = page?.message?.(error, requestContext) ?? error.message;
    response.status(statusOfCode[code]).json({ error: { code, message, ...(details && { details }), requestId } });
  }

  /**
   * Never what the client sent: headers, bodies and signed URLs are not logged. A stack only where it helps: an outage or a full queue is
   * no fault of the program, and comes by the hundred.
   */
  private report(thrown: unknown, { requestId }: RequestContext, request: Request): void {
    const about = { requestId, method: request.method, route: request.route?.path ?? null };
    if (!isOutage(thrown)) this.options.logger.error({ err: thrown, ...about }, 'request failed');
    else this.options.logger.warn({ reason: underlyingReason(thrown), ...about }, 'request refused: unavailable');
  }
}

function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  // Of the framework's own errors only those of routing can occur: no such route, or a path that cannot be decoded.
  if (thrown instanceof HttpException && [400, 404].includes(thrown.getStatus())) {
    return new DomainError('not_found', 'This path does not exist.');
  }
  return new DomainError('internal_error', 'An unexpected error occurred. Quote the request id when you report it.');
}
