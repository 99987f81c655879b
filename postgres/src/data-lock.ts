import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The right to run the server on a data folder. The kernel drops it when the last process that holds the descriptor is gone, so a
 * kill -9 leaves nothing to clean up and two starts at once cannot both have it.
 */
export interface DataLock {
  /** Handed on to the supervisor, so that the folder stays locked until an orphaned server has been shut down. */
  readonly fd: number;
  /** False where the system or the file system offers no lock: then only Postgres' own lock file keeps a second server out. */
  readonly certain: boolean;
  release(): void;
}

/** Values of the open flags that take a lock, where the system has one; Node does not name them. */
const O_EXLOCK: Partial<Record<NodeJS.Platform, number>> = { darwin: 0x20, win32: 0x10000000 };
const CONFLICT = 75;

/** @returns undefined when another process holds it. */
export async function tryLock(dataDir: string, owner: { uid: number; gid: number }): Promise<DataLock | undefined> {
  const path = join(dataDir, 'postgres.lock');
  const flag = O_EXLOCK[process.platform];
  let fd: number;
  try {
    const lockFlags = flag === undefined ? 0 : flag | (constants.O_NONBLOCK ?? 0);
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | lockFlags, 0o600);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (flag !== undefined && ['EAGAIN', 'EWOULDBLOCK', 'EBUSY'].includes(code)) return undefined;
    throw error;
  }
  const lock = (certain: boolean): DataLock => ({ fd, certain, release: once(() => closeSync(fd)) });
  if (flag !== undefined) return lock(true);
  if (process.geteuid?.() === 0) await chown(path, owner.uid, owner.gid).catch(() => undefined);
  const outcome = await flock(fd);
  if (outcome !== 'taken') return lock(outcome === 'ours');
  closeSync(fd);
  return undefined;
}

/** flock(2) belongs to the open file, which the child shares with us: it is still held when the child has ended. */
function flock(fd: number): Promise<'ours' | 'taken' | 'unknown'> {
  return new Promise((resolve) => {
    const child = spawn('flock', ['-n', '-E', String(CONFLICT), '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.on('error', () => resolve('unknown'));
    child.on('exit', (code) => resolve(code === 0 ? 'ours' : code === CONFLICT ? 'taken' : 'unknown'));
  });
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
