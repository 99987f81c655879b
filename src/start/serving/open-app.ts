import type { Server } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { Readiness, type ReadinessCheck } from '../../api/ops/readiness.js';
import { AppModule, type AppOptions } from '../../app.module.js';
import type { Config } from '../../config/config.js';
import { IpRanges } from '../../core/access/ip-list.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { removeBasePath } from '../../http/server/base-path.js';
import { ExpressServer, limitSockets, NestLogger } from '../../http/server/express-server.js';
import { headersOf } from '../../http/server/headers.js';
import { isForPrograms, openRequestContext, requestContextOf } from '../../http/server/request-context.js';
import { pageQuery } from '../../pages/address.js';
import { browserSessions } from '../../pages/browser-session.js';
import type { OpeningModule } from '../../ports.module.js';
import { cannotListen } from './listener.js';
import { logReadiness } from './log.js';

/**
 * Opens the app that answers requests, not initialized yet. Errors: what the ports cannot be opened for. After any, what was opened is closed.
 * @param checks In addition to those of the ports.
 */
export async function openApp(
  ports: OpeningModule,
  config: Config,
  { logger, stopping, checks = [] }: AppContext,
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
    readiness: (ofPorts) => new Readiness([...ofPorts, ...checks], stopping, logReadiness(logger)),
    stopping,
  };
  try {
    return await NestFactory.create(AppModule.with(ports, options), expressServer(), nestOptions(options));
  } catch (error) {
    await ports.close();
    throw error;
  }
}

interface AppContext {
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly checks?: readonly ReadinessCheck[];
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

/** Everything between creating the application and listening. */
export async function initialize(nest: NestExpressApplication): Promise<void> {
  const [ports, options] = [nest.get<Ports>(PORTS), nest.get<HttpOptions>(HTTP_OPTIONS)];
  const server: Server = nest.getHttpServer();
  const app: express.Express = nest.getHttpAdapter().getInstance();
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
  app.use(browserSessions(ports));
  await nest.init();
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
    next(refusalOf(request, own) ?? undefined);
  };
}

function refusalOf(request: Request, own: string): DomainError | null {
  const hosts = headersOf(request, 'host');
  // HTTP/1.0 has no Host. A 1.1 request without one does not arrive here: Node refuses it.
  if (hosts === undefined) return null;
  const [host = ''] = hosts;
  if (hosts.length > 1 || !HOST.test(host)) return invalidHost();
  if (isForPrograms(requestContextOf(request), request)) return null;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === own || LOOPBACK.test(name) ? null : foreignHost();
}

function invalidHost(): DomainError {
  return new DomainError('invalid_request', 'Send one Host header with a name or an address, and optionally a port.');
}

function foreignHost(): DomainError {
  const message =
    'Pages are served only under the address of PUBLIC_URL. If this address is correct, set PUBLIC_URL to it; a proxy must forward the Host header.';
  return new DomainError('invalid_request', message);
}

/** Not pages: if they were compressed, an eavesdropper could derive the tokens of their forms from their length (BREACH). */
function isCompressed(_: Request, response: Response): boolean {
  return /^(application\/json|text\/css|text\/javascript)/.test(String(response.getHeader('Content-Type') ?? ''));
}
