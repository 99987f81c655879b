import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LoggerService, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { Readiness, type ReadinessCheck } from '../../api/ops/readiness.js';
import { AppModule, type AppOptions } from '../../app.module.js';
import type { Config } from '../../config/config.js';
import { IpRanges } from '../../core/access/ip-list.js';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { removeBasePath } from '../../http/server/base-path.js';
import { awaitContinue, headersOf } from '../../http/server/request.js';
import { isForPrograms, openRequestContext, requestContextOf } from '../../http/server/request-context.js';
import { pageQuery } from '../../pages/address.js';
import { browserSessions } from '../../pages/browser-session.js';
import type { OpeningModule } from '../../ports.module.js';
import { cannotListen } from './listener.js';

/**
 * Opens the app that answers requests, not initialized yet. Errors: what the ports cannot be opened for. After any, what was opened is closed.
 * @param checks In addition to those of the ports.
 */
export async function openApp(
  ports: OpeningModule,
  config: Config,
  {
    logger,
    stopping,
    checks = [],
  }: { readonly logger: Logger; readonly stopping: AbortSignal; readonly checks?: readonly ReadinessCheck[] },
): Promise<NestExpressApplication> {
  const options: AppOptions = {
    logger,
    trustedProxies: config.trustedProxies.length > 0 ? new IpRanges(config.trustedProxies) : null,
    blobsLocation: config.blobsLocation,
    deliveryMaxAge: config.deliveryMaxAge,
    docs: config.docs,
    operatorApi: config.operatorApi,
    mapTiles: config.mapTiles,
    securityContacts: config.securityContacts,
    readiness: (ofPorts) =>
      new Readiness([...ofPorts, ...checks], stopping, (check, finding, err) =>
        logger.warn({ check, finding, ...(err !== undefined && { err }) }, 'readiness changed'),
      ),
    stopping,
  };
  try {
    return await NestFactory.create(AppModule.with(ports, options), expressServer(), nestOptions(options));
  } catch (error) {
    await ports.close();
    throw error;
  }
}

/** Errors: one that says what to do about the address. */
export async function listen(app: NestExpressApplication, { host, port }: Config): Promise<void> {
  await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, { host, port });
  });
}

export function nestOptions({ logger }: Pick<HttpOptions, 'logger'>): NestApplicationOptions {
  return {
    abortOnError: false,
    // Bodies are read after the guards, by the route's own rules.
    bodyParser: false,
    logger: new NestLogger(logger),
  };
}

/** Routing must be strict before Nest gets the instance: set later, it has no effect. */
export function expressServer(): ExpressServer {
  const app = express();
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', pageQuery);
  // We decide whether a response is 304: Express would only compare the ETag.
  Object.defineProperty(app.request, 'fresh', { value: false });
  return new ExpressServer(app);
}

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
    // The prototypes with everything that Express has added to its own.
    this.app.request = Object.setPrototypeOf(ExpressRequest.prototype, this.app.request);
    this.app.response = Object.setPrototypeOf(ExpressResponse.prototype, this.app.response);
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

/** Nest's own messages, in our log. Messages of a normal start are at level debug. */
class NestLogger implements LoggerService {
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

/** Everything between creating the application and listening. */
export async function initialize(nest: NestExpressApplication): Promise<void> {
  const [ports, options] = [nest.get<Ports>(PORTS), nest.get<HttpOptions>(HTTP_OPTIONS)];
  const server: Server = nest.getHttpServer();
  const app: Express = nest.getHttpAdapter().getInstance();
  limitSockets(server);
  // An expectation that Node does not know: it would answer a bare 417 by itself, bypassing every guard. It may be ignored (RFC 9110
  // §10.1.1).
  server.on('checkExpectation', app);
  app.use(removeBasePath(ports.addresses.basePath));
  app.use(openRequestContext(ports, options));
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: nothing },
      frameguard: { action: 'deny' },
      // Only the operator knows whether there is TLS in front.
      strictTransportSecurity: false,
    }),
  );
  app.use(requireHost(ports));
  app.use(compression({ filter: isCompressed, threshold: 1024 }));
  // PUBLIC_URL says whether browsers use TLS: a proxy in front may not report it.
  Object.defineProperty(app.request, 'secure', { value: ports.addresses.publicUrl.startsWith('https:') });
  const sessions = browserSessions(ports);
  // Only for pages of the settings area: the rest of the service has no cookies.
  app.use((request: Request, response: Response, next: NextFunction) => {
    const isPage = requestContextOf(request).underSettings && !request.path.startsWith('/settings/assets/');
    if (isPage) sessions(request, response, next);
    else next();
  });
  await nest.init();
}

/**
 * Closes stalled connections: 30 s for the headers, 60 s without a byte of body in either direction. The duration of a whole request is not
 * limited, so that slow uploads of large files succeed.
 */
export function limitSockets(server: Server): void {
  const working = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.headersTimeout = 30 * SECOND;
  server.requestTimeout = 0;
  // Between two requests. Longer than load balancers keep a connection open by default (60 s at most): otherwise one sends a request while we
  // close it.
  server.keepAliveTimeout = 65 * SECOND;
  server.on('request', (request, response) => working.set(request.socket, { request, response }));
  server.setTimeout(60 * SECOND, (socket) => {
    const now = working.get(socket);
    // The client is not timed out while we prepare our response.
    const weWork = now?.request.complete && !now.response.headersSent && !now.response.destroyed;
    if (!weWork) socket.destroy();
  });
}

/** For data responses: if one is displayed as a page after all, it can do nothing. Pages for people set their own. */
const nothing = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** A name or an address, in brackets if it contains colons, and optionally a port (RFC 9110 §7.2; our own names need no other characters). */
const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Accepts requests that name one host (RFC 9112 §3.2). Pages are only served for the host of PUBLIC_URL and loopback: under another name
 * that resolves to this address, another site's page would have the same origin as ours (DNS rebinding).
 */
function requireHost({ addresses }: Pick<Ports, 'addresses'>) {
  const own = new URL(addresses.publicUrl).hostname;
  return (request: Request, _: Response, next: NextFunction): void => {
    const problem = hostProblem(request, own);
    next(problem === null ? undefined : new DomainError('invalid_request', problem));
  };
}

function hostProblem(request: Request, own: string): string | null {
  const hosts = headersOf(request, 'host');
  // HTTP/1.0 has no Host. A 1.1 request without one does not arrive here: Node refuses it.
  if (hosts === undefined) return null;
  const [host = ''] = hosts;
  if (hosts.length > 1 || !HOST.test(host))
    return 'Send one Host header with a name or an address, and optionally a port.';
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  if (name === own || LOOPBACK.test(name) || isForPrograms(requestContextOf(request), request)) return null;
  return 'Pages are served only under the address of PUBLIC_URL. If this address is correct, set PUBLIC_URL to it; a proxy must forward the Host header.';
}

/** Not pages: if they were compressed, an eavesdropper could derive the tokens of their forms from their length (BREACH). */
function isCompressed(_: Request, response: Response): boolean {
  return /^(application\/json|text\/css|text\/javascript)/.test(String(response.getHeader('Content-Type') ?? ''));
}
