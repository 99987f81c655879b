import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataDirInUseError } from './embedded-postgres-error.js';
import { runToEnd } from './run-to-end.js';
import { CLUSTER_FOLDER } from './settings.js';

const LOOK_EVERY_MS = 50;
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
export async function clearLeftover(dataDir: string, ours: string, mayStop: boolean): Promise<void> {
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
  const quiet = await within(WAIT_FOR_STRANGER_MS, async () => !(await anyWorksIn(cluster)));
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
  const ps = await runToEnd({ name: 'this user', prefix: [] }, ['ps', '-o', 'stat=,comm=', '-p', String(pid)]);
  return /postgres/.test(ps.stdout) && !ps.stdout.trim().startsWith('Z');
}

/** Children of a killed server live on for a moment, with the shared memory in their hands. */
async function anyWorksIn(cluster: string): Promise<boolean> {
  for (const name of await readdir('/proc')) {
    if (/^\d+$/.test(name) && (await isServer(Number(name), cluster))) return true;
  }
  return false;
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}
