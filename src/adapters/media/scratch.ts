import { constants } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { PictureBytes } from '../../core/media/media-reader.js';
import { FileWriter } from '../local-blobs/file-writer.js';
import { onDisk, systemCode } from '../local-blobs/storage-error.js';
import type { Owner } from './isolation/isolation.js';

/**
 * A folder of one reader, under one that all readers on this disk share. Nothing in it is meant to outlive the reader, and leftovers are
 * removed at the next start. Errors of its methods: `service_unavailable` when the disk is full or broken.
 */
export interface Scratch {
  readonly path: string;
  /** Copies bytes to a new file that only this account can read. When it throws, nothing remains. Errors: those of `bytes`, unchanged. */
  spool(name: string, bytes: PictureBytes): Promise<void>;
  /** Creates a folder for a process. @param owner The owner, if not this account. */
  folder(name: string, owner: Owner | null): Promise<string>;
  /** Moves a file written by `spool` into such a folder. Returns its name there, which `takeBack` removes. */
  handOver(name: string, folder: string, owner: Owner | null): Promise<string>;
  takeBack(folder: string): Promise<void>;
  /** Removes a file written by `spool`. An absent one is ignored. */
  unspool(name: string): Promise<void>;
  /** Removes a folder with everything in it. An absent one is ignored. */
  remove(name: string): Promise<void>;
  removeAll(): Promise<void>;
}

const HANDED_OVER = 'picture';

/** Age at which files of another machine in a shared folder are considered abandoned. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Distinguishes this process from an earlier one with the same id, as the first process of a container always has. */
const STARTED = Math.round(performance.timeOrigin);
const HOST = hostname().replace(/[^A-Za-z0-9-]/g, '-');

/**
 * Creates the shared folder (mode 0700) if needed, removes what dead processes left in it, and opens a folder for a new reader. Errors:
 * `service_unavailable`.
 */
export function openScratch(shared: string): Promise<Scratch> {
  // Processes start in their own folders, from where a relative path would lead elsewhere.
  return onDisk(() => openFolder(resolve(shared)));
}

async function openFolder(shared: string): Promise<Scratch> {
  await mkdir(shared, { recursive: true, mode: 0o700 });
  await chmod(shared, 0o700);
  await sweep(shared);
  const path = await mkdtemp(join(shared, `media.${HOST}.${process.pid}.${STARTED}.`));
  const writer = new FileWriter();
  return {
    path,
    async spool(name, bytes) {
      const source = (await bytes.file?.()) ?? null;
      if (source !== null && (await copied(source, join(path, name)))) return;
      const file = await onDisk(() => open(join(path, name), 'wx', 0o600));
      try {
        await writer.writeAll(file, bytes);
        await onDisk(() => file.close());
      } catch (error) {
        await file.close().catch(() => undefined);
        await rm(join(path, name), { force: true });
        throw error;
      }
    },
    async folder(name, owner) {
      const folder = join(path, name);
      await onDisk(async () => {
        await mkdir(folder, { mode: 0o700 });
        if (owner)
          await chown(folder, owner.uid, owner.gid).catch((error) => rmdir(folder).then(() => Promise.reject(error)));
      });
      return folder;
    },
    async handOver(name, folder, owner) {
      await onDisk(async () => {
        if (owner) await chown(join(path, name), owner.uid, owner.gid);
        await rename(join(path, name), join(folder, HANDED_OVER));
      });
      return HANDED_OVER;
    },
    takeBack: (folder) =>
      onDisk(async () => {
        // The process may have put anything there.
        await rm(join(folder, HANDED_OVER), { recursive: true, force: true });
      }),
    unspool: (name) =>
      onDisk(async () => {
        await unlink(join(path, name)).catch(unlessAbsent);
      }),
    remove: (name) => onDisk(() => rm(join(path, name), { recursive: true, force: true })),
    removeAll: () => onDisk(() => rm(path, { recursive: true, force: true })),
  };
}

/** Copies a file within the kernel, sharing blocks where the file system can. False when there is none: it was deleted a moment ago. */
function copied(source: string, target: string): Promise<boolean> {
  return onDisk(async () => {
    try {
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    } catch (error) {
      await rm(target, { force: true });
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    }
  });
}

function unlessAbsent(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error;
}

async function sweep(shared: string): Promise<void> {
  for (const name of await readdir(shared)) {
    const [, host, pid, started] = /^media\.([A-Za-z0-9-]*)\.(\d+)\.(\d+)\./.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(shared, name);
    const left = host === HOST ? isDead(Number(pid), Number(started)) : await isOld(path);
    if (left) await rm(path, { recursive: true, force: true });
  }
}

function isDead(pid: number, started: number): boolean {
  if (pid === process.pid) return started !== STARTED;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: it is alive, and belongs to another account.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return mtimeMs < Date.now() - ABANDONED_MS;
}
