import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { IpRanges } from '../core/access/ip-list.js';
import { createApp } from '../http/create-app.js';
import { Readiness } from '../http/ops/readiness.js';
import type { OpenPorts } from '../ports.module.js';
import { cannotListen } from './listener.js';
import { logReadiness } from './log.js';

export type App = Awaited<ReturnType<typeof createApp>>;

/** What answers requests, not listening yet. */
export function openApp(
  { ports, checks, metrics, tracing }: Pick<OpenPorts, 'ports' | 'checks' | 'metrics' | 'tracing'>,
  config: Config,
  { logger, stopping }: { readonly logger: Logger; readonly stopping: AbortSignal },
): Promise<App> {
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
export async function listen(app: App, { host, port }: Config): Promise<void> {
  await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, { host, port });
  });
}
