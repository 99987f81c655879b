import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LoggerService } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { SECOND } from '../../core/shared/clock.js';
import { awaitContinue } from './request-body.js';

/**
 * Nest's adapter on a server whose requests and responses have Express's prototypes from the beginning. Express itself changes the
 * prototype of each after creation, and V8 never optimizes such objects again: everything that then accessed them, above all Node's own
 * HTTP code, took five times as long (bench/measurements.md). It supports none of Nest's options for servers: we use none.
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

/** The longest time that a client may take to send the headers, and that a connection may be silent. */
const HEADERS_MS = 30 * SECOND;
const IDLE_MS = 60 * SECOND;
/**
 * Between two requests. Longer than load balancers keep a connection open by default (60 s at most): otherwise one sends a request while we
 * close it.
 */
const KEEP_ALIVE_MS = 65 * SECOND;

/**
 * Closes stalled connections: 30 s for the headers, 60 s without a byte of body in either direction. The duration of a whole request is not
 * limited, so that slow uploads of large files succeed.
 */
export function limitSockets(server: Server): void {
  const working = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('request', (request, response) => working.set(request.socket, { request, response }));
  server.setTimeout(IDLE_MS, (socket) => {
    const now = working.get(socket);
    // The client is not timed out while we prepare our response.
    const weWork = now?.request.complete && !now.response.headersSent && !now.response.destroyed;
    if (!weWork) socket.destroy();
  });
}

/** Nest's own messages, in our log. Messages of a normal start are at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug({ nest: true }, String(message));
  }

  warn(message: unknown): void {
    this.logger.warn({ nest: true }, String(message));
  }

  error(message: unknown, ...more: unknown[]): void {
    // What stops a start is thrown, too, and reported where it is caught.
    if (more.at(-1) === 'ExceptionHandler') return;
    this.logger.error({ nest: true, more: more.map(String) }, String(message));
  }
}
