import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { awaitContinue } from './request-body.js';

/**
 * Nest's adapter on a server whose requests and responses have Express's prototypes from the beginning. Express itself changes the
 * prototype of each after creation, and V8 never optimizes such objects again: everything that then accessed them, above all Node's own
 * HTTP code, took five times as long (docs/decisions/0024). It supports none of Nest's options for servers: we use none.
 */
export class ExpressServer extends ExpressAdapter {
  constructor(private readonly app: Express) {
    super(app);
  }

  override initHttpServer(): void {
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse<ExpressRequest> {}
    this.app.request = behind(ExpressRequest.prototype, this.app.request);
    this.app.response = behind(ExpressResponse.prototype, this.app.response);
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createServer(classes, this.app);
    // Without this Node asks for the body at once, before a guard has looked at the request.
    this.httpServer.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      awaitContinue(request, response);
      this.app(request, response);
    });
    // Node silently drops every header after the first thousand, including an X-Forwarded-For that a proxy added after them. Their bytes
    // are limited (431).
    this.httpServer.maxHeadersCount = 0;
  }
}

/** The prototype with everything that Express has added to its own. */
function behind<Prototype extends object>(prototype: object, expressOwn: Prototype): Prototype {
  return Object.setPrototypeOf(prototype, expressOwn);
}
