import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Account, OURSELVES, programEnvironment, runToEnd } from './account.js';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

export interface Server {
  /** Resolves with a reason when the server is gone, for whatever cause. */
  readonly gone: Promise<string>;
  /** Fast shutdown: clients are disconnected, everything is written. Resolves when the process has ended. */
  stop(): Promise<void>;
}

/**
 * The shell outlives us: it reads signal names from its standard input, and takes the end of input (our death) for a fast shutdown. It keeps
 * the data lock (descriptor 3) until the server has ended; the server itself gets neither. A service manager that signals every process of
 * the service must not end the shell before the server, hence the trap; `wait` returns early on a trapped signal, hence the loop.
 */
const SCRIPT = `
trap : HUP INT TERM
exec 4<&0
"$@" </dev/null 3<&- 4<&- &
server=$!
{
  while read -r name; do kill -"$name" "$server"; done
  kill -INT "$server"
} <&4 2>/dev/null &
reader=$!
exec 0</dev/null 4<&-
while :; do
  wait "$server"
  status=$?
  kill -0 "$server" 2>/dev/null || break
done
kill -KILL "$reader" 2>/dev/null
wait "$reader" 2>/dev/null
exit "$status"
`;

/** A fast shutdown that takes longer than this is turned into an immediate one, from which the next start recovers. */
const FAST_SHUTDOWN_WITHIN_MS = 60_000;

/** Never keeps our process alive by itself: one that ends without stop() takes the server down with it. */
export function superviseServer(launch: {
  readonly account: Account;
  /** The name of the supervisor in lists of processes. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  readonly logFd: number;
  readonly lockFd: number;
}): Server {
  const { account, name, command, env, logFd, lockFd } = launch;
  const [program, ...args] = [...account.prefix, '/bin/sh', '-c', SCRIPT, name, ...command];
  const child = spawn(program as string, args, {
    ...account.ids,
    cwd: '/',
    env: programEnvironment(env),
    detached: true, // Ctrl-C is for us; we then stop the server in our own order
    stdio: ['pipe', logFd, logFd, lockFd],
  });
  const input = child.stdin as NonNullable<typeof child.stdin>;
  input.on('error', () => undefined); // the shell has gone, which `gone` tells
  const gone = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`the database server could not be started: ${error.message}`));
    child.on('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `its supervisor was terminated by ${signal}`;
      resolve(`the database server exited (${how})`);
    });
  });
  child.unref();
  (input as unknown as { unref(): void }).unref();
  return {
    gone,
    async stop() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      input.write('INT\n');
      const impatience = setTimeout(() => input.write('QUIT\n'), FAST_SHUTDOWN_WITHIN_MS);
      await gone;
      clearTimeout(impatience);
      input.destroy();
    },
  };
}

const ALIVE_EVERY_MS = 500;

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
    }, ALIVE_EVERY_MS);
    timer.unref();
  });
  return { gone, stop };
}

export async function freeLoopbackPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
