import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { runToEnd } from './run-to-end.js';
import type { Server } from './supervisor.js';

const OURSELVES = { name: 'this user', prefix: [] };
const LOOK_EVERY_MS = 500;

/**
 * The server where there is no /bin/sh to guard it (Windows): pg_ctl starts it with the rights of an ordinary user and listens on loopback. One
 * that a killed process left behind is shut down first; only the holder of the data lock may call this.
 */
export async function startByPgCtl(
  binaries: Binaries,
  cluster: string,
  logPath: string,
  settings: readonly string[],
  port: number,
): Promise<Server> {
  const pgCtl = (...args: string[]) => runToEnd(OURSELVES, [binaries.pgCtl, ...args, '-D', cluster]);
  const stop = async () => {
    if ((await pgCtl('status')).code !== 0) return;
    const outcome = await pgCtl('stop', '-m', 'fast', '-w', '-t', '60');
    if (outcome.code !== 0)
      throw new EmbeddedPostgresError('stop_failed', `The database did not stop: ${outcome.stderr.trim()}`);
  };
  await stop();
  const options = [...settings, '-h', '127.0.0.1', '-p', String(port)].join(' ');
  const started = await pgCtl('start', '-w', '-t', '600', '-l', logPath, '-o', options);
  if (started.code !== 0) {
    const problem = `The database did not start (see ${logPath}): ${started.stderr.trim()}`;
    throw new EmbeddedPostgresError('start_failed', problem);
  }
  const pid = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const gone = new Promise<string>((resolve) => {
    const timer = setInterval(() => {
      try {
        process.kill(pid, 0);
      } catch {
        clearInterval(timer);
        resolve('the database server exited');
      }
    }, LOOK_EVERY_MS);
    timer.unref();
  });
  return { gone, stop };
}

export function freeLoopbackPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
