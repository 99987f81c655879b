import { randomBytes } from 'node:crypto';
import { chmod, chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Connection } from './settings.js';
import { isTrusted } from './socket-folder.js';

/** The facts that the owner of a data folder gives to other processes. */
export interface OwnerFacts {
  readonly pid: number;
  /** 'own' for the service itself; 'share' for a command, which ends soon. */
  readonly mode: 'own' | 'share';
  /** Without the password, which who asks must be able to read from its file. */
  readonly address: Omit<Connection, 'password'>;
}

export interface LiveOwner {
  readonly facts: OwnerFacts;
  /** Resolves when the owner stops or dies. */
  readonly gone: Promise<void>;
  /** Tells the owner that its database is needed no longer. */
  leave(): void;
}

/** The owner's end: says who owns the folder to every process that connects, and knows how many still do. */
export interface OwnerSocket {
  /** No newcomers from now on. */
  hide(): Promise<void>;
  /** Resolves when every guest has left. */
  guestsGone(onWait: (guests: number) => void): Promise<void>;
  close(): void;
}

const ANSWER_WITHIN_MS = 5000;
const ownerFile = (dataDir: string) => join(dataDir, 'postgres.owner');

/** For the holder of the data lock, once its server answers: no process ever meets a server that is not ready. */
export async function publishOwner(
  dataDir: string,
  folder: string,
  label: string,
  facts: OwnerFacts,
): Promise<OwnerSocket> {
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
  await listen(server, address);
  server.unref();
  if (process.platform !== 'win32') await chmod(address, 0o600);
  const part = `${ownerFile(dataDir)}.part`;
  await writeFile(part, address, { mode: 0o600 });
  const owner = await stat(dataDir);
  if (process.geteuid?.() === 0) {
    for (const path of [part, address]) await chown(path, owner.uid, owner.gid).catch(() => undefined);
  }
  await rename(part, ownerFile(dataDir));
  const close = () => {
    server.close();
    for (const guest of guests) guest.destroy();
  };
  return {
    async hide() {
      await rm(ownerFile(dataDir), { force: true });
      server.close();
    },
    async guestsGone(onWait) {
      if (guests.size > 0) onWait(guests.size);
      for (const guest of guests) guest.ref();
      await Promise.all([...guests].map((guest) => new Promise((resolve) => guest.once('close', resolve))));
    },
    close,
  };
}

/** @returns undefined when no process owns the folder or its owner died; 'silent' when it lives and does not answer within 5 s. */
export async function askOwner(dataDir: string): Promise<LiveOwner | 'silent' | undefined> {
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
    socket.setEncoding('utf8').setTimeout(ANSWER_WITHIN_MS);
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

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
}
