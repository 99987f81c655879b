import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { OpsOptions } from '../../api/ops/ops.module.js';
import { Readiness } from '../../api/ops/readiness.js';
import { AppModule } from '../../app.module.js';
import type { Config } from '../../config/config.js';
import { IpRanges } from '../../core/access/ip-list.js';
import type { Ports } from '../../core/ports.js';
import type { HttpOptions } from '../../http/http-options.js';
import { removeBasePath } from '../../http/server/base-path.js';
import { ExpressServer, limitSockets, NestLogger } from '../../http/server/express-server.js';
import { openRequestContext, requireHost } from '../../http/server/open-request-context.js';
import { pageQuery } from '../../pages/address.js';
import { browserSessions } from '../../pages/browser-session.js';
import type { OpenPorts } from '../../ports.module.js';
import { cannotListen } from './listener.js';
import { logReadiness } from './log.js';

/** What answers requests, not listening yet. */
export function openApp(
  { ports, checks, metrics, tracing }: Pick<OpenPorts, 'ports' | 'checks' | 'metrics' | 'tracing'>,
  config: Config,
  { logger, stopping }: { readonly logger: Logger; readonly stopping: AbortSignal },
): Promise<NestExpressApplication> {
  return createApp(ports, {
    logger,
    trustedProxies: config.trustedProxies.length > 0 ? new IpRanges(config.trustedProxies) : null,
    blobsLocation: config.blobsLocation,
    deliveryMaxAge: config.deliveryMaxAge,
    docs: config.docs,
    operatorApi: config.operatorApi,
    mapTiles: config.mapTiles,
    securityContacts: config.securityContacts,
    readiness: new Readiness(checks, stopping, logReadiness(logger)),
    onAnswered: metrics?.answered,
    onProviderSignInRefused: metrics?.providerSignInRefused,
    trace: tracing?.request,
    stopping,
  });
}

/** Errors: one that says what to do about the address. */
export async function listen(app: NestExpressApplication, { host, port }: Config): Promise<void> {
  await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, { host, port });
  });
}

/** The HTTP side of the service on the given ports, ready to listen. */
async function createApp(ports: Ports, options: HttpOptions & OpsOptions): Promise<NestExpressApplication> {
  const adapter = expressServer(ports, options);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(ports, options),
    adapter,
    nestOptions(options),
  );
  return initialized(app, adapter);
}

export function nestOptions({ logger }: HttpOptions): NestApplicationOptions {
  return {
    abortOnError: false,
    // Bodies are read after the guards, by the route's own rules.
    bodyParser: false,
    logger: new NestLogger(logger),
  };
}

export function expressServer(ports: Ports, options: HttpOptions): ExpressServer {
  return new ExpressServer(expressApp(ports, options));
}

/** Everything between creating the application and listening. */
export async function initialized(
  app: NestExpressApplication,
  adapter: ExpressServer,
): Promise<NestExpressApplication> {
  limitSockets(app.getHttpServer());
  // An expectation that Node does not know: it would answer a bare 417 by itself, bypassing every guard. It may be ignored (RFC 9110
  // §10.1.1).
  app.getHttpServer().on('checkExpectation', adapter.getInstance());
  await app.init();
  return app;
}

/** Routing must be strict before Nest gets the instance: set later, it has no effect. */
function expressApp(ports: Ports, options: HttpOptions): express.Express {
  const app = express();
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', pageQuery);
  // We decide whether a response is 304: Express would only compare the ETag.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.use(removeBasePath(ports.addresses.basePath));
  app.use(openRequestContext(options));
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
  return app;
}

/** For data responses: if one is displayed as a page after all, it can do nothing. Pages for people set their own. */
const nothing = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** Not pages: if they were compressed, an eavesdropper could derive the tokens of their forms from their length (BREACH). */
function isCompressed(_: Request, response: Response): boolean {
  return /^(application\/json|text\/css|text\/javascript)/.test(String(response.getHeader('Content-Type') ?? ''));
}
