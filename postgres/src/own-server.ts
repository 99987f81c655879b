import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Account, OURSELVES, runToEnd } from './account.js';
import { type Binaries, linkLibraries, withoutGlibc } from './binaries.js';
import { CLUSTER_FOLDER, type ClusterSetup, openCluster, readOrMakePassword, resetPassword } from './cluster.js';
import { DataDirInUseError, EmbeddedPostgresError } from './embedded-postgres-error.js';
import { type LogFile, openLogFile } from './log-file.js';
import { type Connection, type Log, type ServerOptions, settingArguments } from './options.js';
import type { DataLock } from './ownership.js';
import { freeLoopbackPort, type Server, startByPgCtl, superviseServer } from './server-process.js';
import { makeServerFolder, makeSocketFolder, SOCKET_PORT } from './socket-folder.js';

const RETRY_FOR_MS = 10_000;
const RETRY_EVERY_MS = 100;
/** The messages of Postgres while the remains of a killed server are still in the way. */
const REMAINS =
  /lock file ".*" already exists|pre-existing shared memory block|is already in use|is another postmaster/i;

/** Starts the server of a data folder whose lock we hold; returns when it answers. */
export async function startOwnServer(
  dataDir: string,
  binaries: Binaries,
  lock: DataLock,
  options: ServerOptions,
  log: Log,
) {
  const windows = process.platform === 'win32';
  const env = await linkLibraries(binaries, join(dataDir, 'pg-lib'));
  const password = await readOrMakePassword(dataDir);
  const setup: ClusterSetup = { dataDir, binaries, env, lock, password, options };
  const account = await openCluster(setup, log);
  const socketFolder = windows ? dataDir : await makeSocketFolder(dataDir, options.label, lock.certain);
  const logFile = await openLogFile(dataDir, await stat(dataDir));
  let server: Server | undefined;
  try {
    await clearLeftover(dataDir, join(socketFolder, 'pg'), lock.certain);
    const host = windows ? '127.0.0.1' : await makeServerFolder(socketFolder, account);
    const port = windows ? await freeLoopbackPort() : SOCKET_PORT;
    const connection: Connection = { host, port, user: options.database, password, database: options.database };
    const quoted = `"${host.replaceAll('"', '""')}"`; // the setting is a list; commas in a name would part it
    const place = ['-D', join(dataDir, CLUSTER_FOLDER), '-h', '', '-k', quoted, '-p', String(SOCKET_PORT)];
    const start = async () => {
      server = windows
        ? await startByPgCtl(binaries, join(dataDir, CLUSTER_FOLDER), logFile.path, settingArguments(options), port)
        : superviseServer({
            account,
            name: `${options.label}-postgres`,
            // The last word on a setting counts: no choice of an application opens a port.
            command: [binaries.postgres, ...settingArguments(options), ...place],
            env,
            logFd: logFile.fd,
            lockFd: lock.fd,
          });
      return server;
    };
    const running = await startUntilReady(start, setup, account, connection, logFile, log);
    // A killed supervisor leaves the server itself behind.
    const cleared = running.gone.then(() => clearLeftover(dataDir, join(socketFolder, 'pg'), lock.certain));
    cleared.catch((error: Error) => log(error.message));
    return {
      server: running,
      connection,
      /** Where the owner's socket goes too; not used on Windows. */
      socketFolder,
      /** Stops the server, if it lives, and gives back what it used except the lock. */
      async close(): Promise<void> {
        await running.stop().finally(() => logFile.close());
        await cleared;
        if (!windows) await rm(lock.certain ? socketFolder : host, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await server?.stop();
    logFile.close();
    throw error;
  }
}

/** Tries again for about 10 s while remains are in the way, and once with the password set anew when it does not fit. */
async function startUntilReady(
  start: () => Promise<Server>,
  setup: ClusterSetup,
  account: Account,
  connection: Connection,
  logFile: LogFile,
  log: Log,
): Promise<Server> {
  const { dataDir } = setup;
  const giveUpAt = performance.now() + RETRY_FOR_MS;
  for (let repaired = false; ; ) {
    const server = await start();
    const outcome = await waitUntilReady(server, join(dataDir, CLUSTER_FOLDER), connection, log);
    if (outcome === 'ready') return server;
    if (outcome === 'wrong password' && !repaired) {
      log('the password file does not match the database: resetting the password');
      await server.stop();
      await resetPassword(setup, account);
      repaired = true;
      continue;
    }
    await server.stop();
    if (outcome === 'wrong password')
      throw new EmbeddedPostgresError('password_refused', `The database in ${dataDir} rejects its password.`);
    const logged = await logFile.tail();
    if (REMAINS.test(logged)) {
      if (performance.now() < giveUpAt) {
        await delay(RETRY_EVERY_MS);
        continue;
      }
      throw new DataDirInUseError(dataDir, 'another Postgres server');
    }
    if (/exit code 127/.test(outcome.ended) && /not found/.test(logged)) throw withoutGlibc();
    const reason = logged.match(/(?:FATAL|PANIC): .*/g)?.at(-1) ?? outcome.ended;
    const problem = `The database in ${dataDir} did not start: ${reason} (details in ${logFile.path}).`;
    throw new EmbeddedPostgresError('start_failed', problem);
  }
}

const LOGIN_EVERY_MS = 15;
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
async function waitUntilReady(
  server: Server,
  cluster: string,
  connection: Connection,
  log: Log,
): Promise<'ready' | 'wrong password' | { ended: string }> {
  let ended: string | undefined;
  void server.gone.then((reason) => {
    ended = reason;
  });
  const started = performance.now();
  let isLogged = false;
  while (ended === undefined) {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    const code = lines[7]?.trim() === 'ready' ? await logIn(connection) : '57P03';
    if (code === undefined || code === FULL) return 'ready';
    if (code === WRONG_PASSWORD) return 'wrong password';
    if (!isLogged && performance.now() - started > SAY_SO_AFTER_MS) {
      isLogged = true;
      log(`the database is still starting (${NOT_YET.includes(code) ? 'it may be recovering from a crash' : code})`);
    }
    await delay(LOGIN_EVERY_MS);
  }
  return { ended };
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

const CHECK_EVERY_MS = 50;
const WAIT_FOR_END_MS = 30_000;
const WAIT_FOR_STRANGER_MS = 10_000;
/** Without a lock it is most likely the server of a start that was quicker, whose owner can soon be asked. */
const WAIT_FOR_RIVAL_MS = 500;

/**
 * For the holder of the data lock, before it starts a server. The lock says that no owner and no supervisor lives; what postmaster.pid names is
 * then a server of ours whose both guardians were killed (stop it), a server that another program runs on the folder (never stop it), or
 * nothing: a zombie that has not been reaped yet, or a number that another program has by now. Postgres takes the last two for a live
 * server, so its file is removed, once no process works in the folder.
 * @param ours the folder that our servers' sockets are in.
 * @param mayStop only where the lock is certain.
 */
async function clearLeftover(dataDir: string, ours: string, mayStop: boolean): Promise<void> {
  if (process.platform === 'win32') return; // pg_ctl sees to it there
  const cluster = join(dataDir, CLUSTER_FOLDER);
  const file = join(cluster, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !exists(pid)) return; // Postgres itself sees that no process is there
  if (await isServer(pid, cluster)) {
    const isOrphan = mayStop && (lines[4] ?? '').trim().startsWith(ours);
    if (isOrphan) process.kill(pid, 'SIGINT');
    const patience = isOrphan ? WAIT_FOR_END_MS : mayStop ? WAIT_FOR_STRANGER_MS : WAIT_FOR_RIVAL_MS;
    const ended = await within(patience, async () => !exists(pid) || !(await isServer(pid, cluster)));
    if (!ended) throw new DataDirInUseError(dataDir, `a Postgres server that this process did not start (pid ${pid})`);
    return clearLeftover(dataDir, ours, mayStop);
  }
  if (process.platform !== 'linux' || !mayStop) return;
  // Children of a killed server live on for a moment, with the shared memory in their hands.
  const quiet = await within(WAIT_FOR_STRANGER_MS, async () => {
    for (const name of await readdir('/proc'))
      if (/^\d+$/.test(name) && (await isServer(Number(name), cluster))) return false;
    return true;
  });
  if (quiet) await rm(file, { force: true });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Postgres works in its data folder, and a zombie works nowhere: both show in the process's current folder. */
async function isServer(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return name.trim() === 'postgres' && (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === cluster;
  }
  const ps = await runToEnd(OURSELVES, ['ps', '-o', 'stat=,comm=', '-p', String(pid)]);
  return /postgres/.test(ps.stdout) && !ps.stdout.trim().startsWith('Z');
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await delay(CHECK_EVERY_MS);
  }
  return true;
}
