import type { Server } from 'node:http';
import { createServer, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Exposition, openMetricsServer, type RunningMetricsServer } from '../../api/ops/metrics-server.js';
import type { Config } from '../../config/config.js';

/** Checked before a database is created: an operator who left another service running should be told immediately. */
export async function requireFreePort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(cannotListen(error, { host, port })));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

export function cannotListen(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  if (code !== 'EADDRINUSE') return new Error(`Cannot listen on ${host}:${port}: ${message}. Check HOST and PORT.`);
  return new Error(
    `Port ${port} on ${host} is in use by another program. Stop it, or choose another port: PORT=3001 npm start`,
  );
}

/** No new connections; those in use get their time, then are closed. */
export async function drain(server: Server): Promise<void> {
  // One that was handed over listens no more, and may still have connections.
  const closed = new Promise<void>((resolve) => {
    if (server.listening) server.close(() => resolve());
    else server.getConnections((_, count) => (count > 0 ? server.once('close', resolve) : resolve()));
  });
  server.closeIdleConnections();
  const late = new AbortController();
  const deadline = delay(DRAIN_MS, undefined, { signal: late.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  late.abort();
  await deadline;
}

/**
 * The same for a process whose place another one has taken, so that there is time: no request may fail. It answers what still arrives on open
 * connections, and says that each is its last. Connections that are not used for a while are closed.
 */
export async function handOver(server: Server): Promise<void> {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
  // Not the method of HTTP servers, which closes connections at once on which a request may be on its way.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const timers = [
    setTimeout(() => server.closeIdleConnections(), 5000),
    // Long enough for a large upload.
    setTimeout(() => server.closeAllConnections(), 600_000),
  ];
  await closed;
  for (const timer of timers) clearTimeout(timer);
}

/** Time that the listener continues after SIGTERM, so that a load balancer can see the change of /readyz and send its traffic elsewhere. */
export const LINGER_MS = 2000;
/** The longest time that requests in flight may take after that. */
export const DRAIN_MS = 20_000;

/** The first signal's name. A second one ends the process immediately, as if there were no handler. */
export function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

/**
 * On SIGHUP, which asks services to reload. A terminal that is closed ends its programs by it: a service that was started in one still
 * ends. False there.
 */
export function onHangUp(act: () => void): boolean {
  if (process.stdin.isTTY || process.stdout.isTTY) return false;
  process.on('SIGHUP', act);
  return true;
}

/** Waits for something, but not longer than so many milliseconds. */
export async function atMost(milliseconds: number, work: Promise<unknown> | undefined): Promise<void> {
  const done = new AbortController();
  const patience = delay(milliseconds, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, patience]);
  done.abort();
}

/** Null without METRICS_PORT. Errors: one that names the setting. */
export async function listenForMetrics(
  metrics: Exposition | null,
  { host, metricsPort: port }: Config,
): Promise<RunningMetricsServer | null> {
  if (metrics === null || port === null) return null;
  return openMetricsServer(metrics, { host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot listen on ${host}:${port}: ${error.message}. Check METRICS_PORT.`);
  });
}
