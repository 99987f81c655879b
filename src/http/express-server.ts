import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

/**
 * Nest's adapter on a server whose requests and responses are Express's from the beginning. Express itself gives each of them its
 * prototype once they exist, and V8 never makes such objects fast again: everything that then touched them, Node's own code for
 * HTTP before all else, took five times as long (docs/decisions/0024). Of Nest's options for servers it knows none: we use none.
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
    // Node drops every header after the first thousand, silently: then a proxy's X-Forwarded-For behind them. Their bytes are bounded (431).
    this.httpServer.maxHeadersCount = 0;
  }
}

/** The prototype with all that Express has put into its own. */
function behind<Prototype extends object>(prototype: object, expressOwn: Prototype): Prototype {
  return Object.setPrototypeOf(prototype, expressOwn);
}
