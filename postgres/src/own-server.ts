import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binaries, linkLibraries, withoutGlibc } from './binaries.js';
import { type ClusterSetup, openCluster, resetPassword } from './cluster.js';
import type { DataLock } from './data-lock.js';
import { DataDirInUseError, EmbeddedPostgresError } from './embedded-postgres-error.js';
import { clearLeftover } from './leftover-server.js';
import { type LogFile, openLogFile } from './log-file.js';
import type { ServerOptions } from './options.js';
import { readOrMakePassword } from './password-file.js';
import { freeLoopbackPort, startByPgCtl } from './pg-ctl-server.js';
import { waitUntilReady } from './readiness.js';
import type { Account } from './run-to-end.js';
import { CLUSTER_FOLDER, type Connection, SOCKET_PORT, settingArguments } from './settings.js';
import { makeServerFolder, makeSocketFolder } from './socket-folder.js';
import { type Server, superviseServer } from './supervisor.js';

export interface OwnServer {
  readonly server: Server;
  readonly connection: Connection;
  /** Where the owner's socket goes too; not used on Windows. */
  readonly socketFolder: string;
  /** Stops the server, if it lives, and gives back what it used except the lock. */
  close(): Promise<void>;
}

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
  log: (line: string) => void,
): Promise<OwnServer> {
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
    const start = async () => {
      server = windows
        ? await startByPgCtl(binaries, join(dataDir, CLUSTER_FOLDER), logFile.path, settingArguments(options), port)
        : supervise(setup, account, logFile, host);
      return server;
    };
    const running = await startUntilReady(
      start,
      () => resetPassword(setup, account),
      connection,
      logFile,
      dataDir,
      log,
    );
    // A killed supervisor leaves the server itself behind.
    const cleared = running.gone.then(() => clearLeftover(dataDir, join(socketFolder, 'pg'), lock.certain));
    cleared.catch((error: Error) => log(error.message));
    return {
      server: running,
      connection,
      socketFolder,
      async close() {
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

function supervise(setup: ClusterSetup, account: Account, logFile: LogFile, host: string): Server {
  const { binaries, options, dataDir, env, lock } = setup;
  const quoted = `"${host.replaceAll('"', '""')}"`; // the setting is a list; commas in a name would part it
  const place = ['-D', join(dataDir, CLUSTER_FOLDER), '-h', '', '-k', quoted, '-p', String(SOCKET_PORT)];
  // The last word on a setting counts: no choice of an application opens a port.
  const command = [binaries.postgres, ...settingArguments(options), ...place];
  return superviseServer({
    account,
    name: `${options.label}-postgres`,
    command,
    env,
    logFd: logFile.fd,
    lockFd: lock.fd,
  });
}

/** Tries again for about 10 s while remains are in the way, and once with the password set anew when it does not fit. */
async function startUntilReady(
  start: () => Promise<Server>,
  repairPassword: () => Promise<void>,
  connection: Connection,
  logFile: LogFile,
  dataDir: string,
  log: (line: string) => void,
): Promise<Server> {
  const giveUpAt = performance.now() + RETRY_FOR_MS;
  for (let repaired = false; ; ) {
    const server = await start();
    const outcome = await waitUntilReady(server, join(dataDir, CLUSTER_FOLDER), connection, log);
    if (outcome === 'ready') return server;
    if (outcome === 'wrong password' && !repaired) {
      log('the password file does not match the database: resetting the password');
      await server.stop();
      await repairPassword();
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
