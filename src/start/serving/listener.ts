import type { Server } from 'node:http';
import { createServer, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.js';
import { DRAIN_MS, HAND_OVER_MS, UNUSED_MS } from './stopping.js';

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
    setTimeout(() => server.closeIdleConnections(), UNUSED_MS),
    setTimeout(() => server.closeAllConnections(), HAND_OVER_MS),
  ];
  await closed;
  for (const timer of timers) clearTimeout(timer);
}
