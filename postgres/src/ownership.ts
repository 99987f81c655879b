import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Connection } from './options.js';
import { isTrusted } from './socket-folder.js';

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
  const lock = (certain: boolean): DataLock => {
    let isReleased = false;
    const release = () => {
      if (!isReleased) closeSync(fd);
      isReleased = true;
    };
    return { fd, certain, release };
  };
  if (flag !== undefined) return lock(true);
  if (process.geteuid?.() === 0) await chown(path, owner.uid, owner.gid).catch(() => undefined);
  // flock(2) belongs to the open file, which the child shares with us: it is still held when the child has ended.
  const outcome = await new Promise<'ours' | 'taken' | 'unknown'>((resolve) => {
    const child = spawn('flock', ['-n', '-E', String(CONFLICT), '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.on('error', () => resolve('unknown'));
    child.on('exit', (code) => resolve(code === 0 ? 'ours' : code === CONFLICT ? 'taken' : 'unknown'));
  });
  if (outcome !== 'taken') return lock(outcome === 'ours');
  closeSync(fd);
  return undefined;
}

/** The facts that the owner of a data folder gives to other processes. */
export interface OwnerFacts {
  readonly pid: number;
  /** 'own' for the service itself; 'share' for a command, which ends soon. */
  readonly mode: 'own' | 'share';
  /** Without the password, which who asks must be able to read from its file. */
  readonly address: Omit<Connection, 'password'>;
}

const ownerFile = (dataDir: string) => join(dataDir, 'postgres.owner');

/**
 * For the holder of the data lock, once its server answers: no process ever meets a server that is not ready.
 * @returns the owner's end: it says who owns the folder to every process that connects, and knows how many still do.
 */
export async function publishOwner(dataDir: string, folder: string, label: string, facts: OwnerFacts) {
  const name = `owner.${randomBytes(4).toString('hex')}`;
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${label}-${name}` : join(folder, name);
  const guests = new Set<Socket>();
  const server = createServer((guest) => {
    guests.add(guest);
    guest.unref();
    guest.on('error', () => undefined); // a guest that was killed has left all the same
    guest.on('close', () => guests.delete(guest));
    guest.resume().write(`${JSON.stringify(facts)}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.unref();
  if (process.platform !== 'win32') await chmod(address, 0o600);
  const part = `${ownerFile(dataDir)}.part`;
  await writeFile(part, address, { mode: 0o600 });
  const owner = await stat(dataDir);
  if (process.geteuid?.() === 0) {
    for (const path of [part, address]) await chown(path, owner.uid, owner.gid).catch(() => undefined);
  }
  await rename(part, ownerFile(dataDir));
  return {
    /** No newcomers from now on. */
    async hide(): Promise<void> {
      await rm(ownerFile(dataDir), { force: true });
      server.close();
    },
    /** Resolves when every guest has left. */
    async guestsGone(onWait: (guests: number) => void): Promise<void> {
      if (guests.size > 0) onWait(guests.size);
      for (const guest of guests) guest.ref();
      await Promise.all([...guests].map((guest) => new Promise((resolve) => guest.once('close', resolve))));
    },
    close() {
      server.close();
      for (const guest of guests) guest.destroy();
    },
  };
}

/**
 * @returns undefined when no process owns the folder or its owner died; 'silent' when it lives and does not answer within 5 s. `gone` resolves
 * when the owner stops or dies, and `leave` tells it that its database is needed no longer.
 */
export async function askOwner(
  dataDir: string,
): Promise<{ facts: OwnerFacts; gone: Promise<void>; leave(): void } | 'silent' | undefined> {
  const address = await readFile(ownerFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (address === undefined) return undefined;
  if (process.platform !== 'win32' && !(await isTrusted(dirname(address), dataDir))) return undefined;
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    const gone = new Promise<void>((left) => socket.once('close', () => left()));
    let text = '';
    socket.setEncoding('utf8').setTimeout(5000);
    socket.on('timeout', () => {
      resolve('silent');
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES' || error.code === 'EPERM') reject(error);
    });
    socket.on('close', () => resolve(undefined));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      socket.setTimeout(0);
      socket.unref();
      resolve({ facts: JSON.parse(text) as OwnerFacts, gone, leave: () => socket.destroy() });
    });
  });
}
