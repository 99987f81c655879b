import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type Request, type Response } from 'express';
import helmet from 'helmet';
import { AppModule } from '../app.module.js';
import type { Ports } from '../core/ports.js';
import { ExpressServer } from './express-server.js';
import type { HttpOptions } from './http-options.js';
import { NestLogger } from './nest-logger.js';
import { openRequestContext } from './open-request-context.js';
import { requireHost } from './require-host.js';
import { browserSessions } from './settings/browser-session.js';
import { limitSockets } from './socket-timeouts.js';

/** The HTTP side of the service on the given ports, ready to listen. */
export async function createApp(ports: Ports, options: HttpOptions): Promise<NestExpressApplication> {
  const adapter = new ExpressServer(expressApp(ports, options));
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(ports, options), adapter, {
    abortOnError: false,
    // Bodies are read behind the guards, by the route's own rules.
    bodyParser: false,
    logger: new NestLogger(options.logger),
  });
  limitSockets(app.getHttpServer());
  // An expectation that Node does not know: it would answer a bare 417 by itself, past every guard. It may be ignored (RFC 9110 §10.1.1).
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
  app.set('query parser', 'simple');
  // Whether an answer is 304 is ours to decide: Express would go by the ETag alone.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.use(openRequestContext(options));
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: nothing },
      frameguard: { action: 'deny' },
      // Whether there is TLS in front is the operator's to say.
      strictTransportSecurity: false,
    }),
  );
  app.use(requireHost(ports));
  app.use(compression({ filter: isCompressed, threshold: 1024 }));
  // Whether browsers come by TLS is said by PUBLIC_URL: a proxy in front may not tell.
  Object.defineProperty(app.request, 'secure', { value: ports.publicUrl.startsWith('https:') });
  app.use(browserSessions(ports));
  return app;
}

/** For answers that are data: should one be shown as a page after all, it can do nothing. Pages for people set their own. */
const nothing = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** Not pages: in their length, compressed, whoever watches could read the tokens of their forms (BREACH). */
function isCompressed(_: Request, response: Response): boolean {
  return /^(application\/json|text\/css|text\/javascript)/.test(String(response.getHeader('Content-Type') ?? ''));
}
