import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.js';
import { DRAIN_MS } from './stopping.js';

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
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
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
