import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './settings.js';
import type { Server } from './supervisor.js';

const LOOK_EVERY_MS = 15;
const SAY_SO_AFTER_MS = 5000;

/** Not listening yet; starting or recovering; every place taken, which only a running server says. */
const NOT_YET = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03'];
const FULL = '53300';
const WRONG_PASSWORD = '28P01';

/**
 * Waits until a login works, for as long as the server's process lives: recovery after a crash takes what it takes. Before postmaster.pid
 * says "ready" no login is tried, since every refused login is a FATAL line in the log.
 * @returns the reason when the server ended instead.
 */
export async function waitUntilReady(
  server: Server,
  cluster: string,
  connection: Connection,
  log: (line: string) => void,
): Promise<'ready' | 'wrong password' | { ended: string }> {
  let ended: string | undefined;
  void server.gone.then((reason) => {
    ended = reason;
  });
  const started = performance.now();
  let isLogged = false;
  while (ended === undefined) {
    const code = (await saysReady(cluster)) ? await logIn(connection) : '57P03';
    if (code === undefined || code === FULL) return 'ready';
    if (code === WRONG_PASSWORD) return 'wrong password';
    if (!isLogged && performance.now() - started > SAY_SO_AFTER_MS) {
      isLogged = true;
      log(`the database is still starting (${NOT_YET.includes(code) ? 'it may be recovering from a crash' : code})`);
    }
    await delay(LOOK_EVERY_MS);
  }
  return { ended };
}

async function saysReady(cluster: string): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[7]?.trim() === 'ready';
}

/** @returns the error's code, undefined for a login. */
async function logIn(connection: Connection): Promise<string | undefined> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined); // the server may end right after
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}
