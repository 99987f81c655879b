import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  opendir,
  rename,
  rm,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { PictureBytes } from '../../../core/media/media-reader.js';
import { FileWriter, onDisk, systemCode, unlessAbsent } from '../../local-blobs/files.js';
import { isAlive } from '../../process-usage.js';
import { type Owner, TEMPORARY } from '../isolation/isolation.js';

/** Temporary files of a process; decoders have one at a time. */
export const MAX_TEMPORARY_FILES = 64;
export const PICTURE = 'picture';

/** Age at which files of another machine in a shared folder are considered abandoned. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Distinguishes this process from an earlier one with the same id, as the first process of a container always has. */
const STARTED = Math.round(performance.timeOrigin);
const HOST = hostname().replace(/[^A-Za-z0-9-]/g, '-');

export type Scratch = Awaited<ReturnType<typeof openScratch>>;

/**
 * Opens a folder of one reader, under one that all readers on this disk share, which is created (mode 0700) if needed, and in which nothing is
 * meant to outlive its reader: what dead processes left is removed. Errors, also of its methods: `service_unavailable` when the disk is full or
 * broken.
 */
export async function openScratch(folder: string) {
  // Processes start in their own folders, from where a relative path would lead elsewhere.
  const shared = resolve(folder);
  const path = await onDisk(async () => {
    await mkdir(shared, { recursive: true, mode: 0o700 });
    await chmod(shared, 0o700);
    await sweep(shared);
    return mkdtemp(join(shared, `media.${HOST}.${process.pid}.${STARTED}.`));
  });
  const writer = new FileWriter();
  const openFolders = new Set<OpenFolder>();
  return {
    path,
    /** Copies bytes to a new file that only this account can read. When it throws, nothing remains. Errors: those of `bytes`, unchanged. */
    async spool(name: string, bytes: PictureBytes): Promise<void> {
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
    /** Creates a folder for a process. @param owner The account of the process, if not this one. */
    folder: (name: string, owner: Owner | null) => onDisk(() => processFolder(path, name, owner, openFolders)),
    /** Removes a file written by `spool`. An absent one is ignored. */
    unspool: (name: string) => onDisk(() => unlink(join(path, name)).catch(unlessAbsent)),
    removeAll: () =>
      onDisk(async () => {
        for (const folder of openFolders) await folder.close();
        await removeFolder(path);
      }),
  };
}

export type ProcessFolder = Awaited<ReturnType<typeof processFolder>>;

/**
 * The working directory of a process that reads pictures, in which it finds its picture under the name `PICTURE`, and may write below
 * `TEMPORARY` only, where its account or its sandbox keeps it to that. Whatever the process does here, nothing outside the folder is changed.
 */
async function processFolder(scratch: string, name: string, owner: Owner | null, openFolders: Set<OpenFolder>) {
  const path = join(scratch, name);
  await mkdir(path, { mode: 0o700 });
  try {
    await mkdir(join(path, TEMPORARY), { mode: 0o700 });
    if (owner !== null) {
      await chown(join(path, TEMPORARY), owner.uid, owner.gid);
      // It passes through, and changes nothing.
      await letGroup(path, owner, 0o710);
    }
    const folder = await OpenFolder.at(path);
    openFolders.add(folder);
    const temporary = await OpenFolder.at(folder.path(TEMPORARY));
    openFolders.add(temporary);
    return {
      path,
      /** Moves a file written by `spool` here. */
      handOver: (file: string) =>
        onDisk(async () => {
          if (owner !== null) await letGroup(join(scratch, file), owner, 0o640);
          await rename(join(scratch, file), folder.path(PICTURE));
        }),
      /** Removes the picture. Throws when something else is in its place, or it cannot be removed. An absent one is ignored. */
      takeBack: () => onDisk(() => unlink(folder.path(PICTURE)).catch(unlessAbsent)),
      // What is below `TEMPORARY`. Neither follows links nor looks into folders, of which decoders make none: each counts as too many files.
      async temporaryFiles(): Promise<{ bytes: number; files: number }> {
        let [bytes, files] = [0, 0];
        for await (const name of temporary.names()) {
          const found = await lstat(temporary.path(name)).catch(unlessAbsent);
          if (!found) continue;
          bytes += found.blocks * BYTES_PER_BLOCK;
          files += found.isFile() ? 1 : MAX_TEMPORARY_FILES + 1;
          if (files > MAX_TEMPORARY_FILES) break;
        }
        return { bytes, files };
      },
      /** Removes the folder with everything in it. Call it when the process has ended. */
      remove: () =>
        onDisk(async () => {
          openFolders.delete(folder);
          openFolders.delete(temporary);
          await temporary.close();
          await removeFolder(path, folder);
        }),
    };
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw error;
  }
}

/** In stat(2), whatever the blocks of the file system. */
const BYTES_PER_BLOCK = 512;

/** The group of the process may do what the mode says; the owner stays this account. */
async function letGroup(path: string, { gid }: Owner, mode: number): Promise<void> {
  await chown(path, -1, gid);
  await chmod(path, mode);
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

/** A process of an earlier service may still be alive, and change its folder meanwhile. What cannot be removed stays for the next start. */
async function sweep(shared: string): Promise<void> {
  const folder = await OpenFolder.at(shared);
  try {
    for await (const name of folder.names()) {
      const [, host, pid, started] = /^media\.([A-Za-z0-9-]*)\.(\d+)\.(\d+)\./.exec(name) ?? [];
      if (pid === undefined) continue;
      const path = folder.path(name);
      const isHere = Number(pid) === process.pid ? Number(started) === STARTED : isAlive(Number(pid));
      const left = host === HOST ? !isHere : await isOld(path);
      if (left) await removeFolder(path).catch(() => undefined);
    }
  } finally {
    await folder.close();
  }
}

async function removeFolder(path: string, opened?: OpenFolder): Promise<void> {
  const folder = opened ?? (await OpenFolder.at(path).catch(unlessAbsent));
  if (!folder) return;
  try {
    await folder.clear();
  } finally {
    await folder.close();
  }
  await rmdir(path).catch(unlessAbsent);
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  // By the machine's clock, as the times of files are.
  return mtimeMs < Date.now() - ABANDONED_MS;
}

/** Where Linux shows the open files of a process: a path through one begins at the file that was opened, wherever it is by now. */
const DESCRIPTORS = '/proc/self/fd';
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Deeper than any path that a program can name at once; only a process that still adds more needs as many. */
const MAX_ROUNDS = 10_000;
/** Entries that are removed at the same time. */
const BATCH = 16;

/**
 * A folder that was opened, so that its entries are reached from it and not by a path on which another process may have put a link meanwhile:
 * what stands here for openat(2), unlinkat(2) and renameat(2), which Node does not have. Where there is no /proc it is reached by its path;
 * decoders have no other account there, and no sandbox.
 */
class OpenFolder {
  #isOpen = true;

  private constructor(
    private readonly opened: string,
    private readonly handle: FileHandle | null,
  ) {}

  /** Throws once it is closed: the same descriptor may be another folder's by then. */
  private get place(): string {
    if (!this.#isOpen) throw new Error('The folder is closed.');
    return this.opened;
  }

  /** Fails when there is a link in its place (ENOTDIR or ELOOP), as when there is no folder. */
  static async at(path: string): Promise<OpenFolder> {
    if (!HAS_DESCRIPTORS) return new OpenFolder(path, null);
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new OpenFolder(join(DESCRIPTORS, String(handle.fd)), handle);
  }

  /** The path of an entry, good until `close`. Calls that follow a link as the last part of a path would follow one here. */
  path(name: string): string {
    return join(this.place, name);
  }

  /** The names of its entries, read a few at a time: there may be millions. */
  async *names(): AsyncGenerator<string> {
    for await (const { name } of await opendir(this.place)) yield name;
  }

  /** Does the same with each of them, several at a time. False when there was none. */
  async #forEach(work: (name: string) => Promise<void>): Promise<boolean> {
    let batch: string[] = [];
    let isAny = false;
    for await (const name of this.names()) {
      isAny = true;
      if (batch.push(name) < BATCH) continue;
      await Promise.all(batch.map(work));
      batch = [];
    }
    await Promise.all(batch.map(work));
    return isAny;
  }

  /**
   * Removes everything in it, and nothing else, whatever another process does to it meanwhile. Folders inside are brought up before their
   * own entries are: however deep they are, few are open at a time. Throws when entries keep coming.
   */
  async clear(): Promise<void> {
    if (this.handle === null) {
      for await (const name of this.names()) await rm(this.path(name), { recursive: true, force: true });
      return;
    }
    const remove = async (name: string) => {
      if (!(await isUnlinked(this.path(name)))) await this.#dissolve(name);
    };
    for (let round = 0; await this.#forEach(remove); round += 1) {
      if (round === MAX_ROUNDS) throw new Error('The folder is being filled faster than it can be emptied.');
    }
  }

  /** Call it when nothing uses one of its paths. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.handle?.close();
  }

  /** Removes a folder inside; the folders that are in it come to stand beside it. */
  async #dissolve(name: string): Promise<void> {
    const inner = await OpenFolder.at(this.path(name)).catch(unlessReplaced);
    if (!inner) return;
    try {
      await inner.#forEach(async (each) => {
        if (await isUnlinked(inner.path(each))) return;
        await rename(inner.path(each), this.path(randomUUID())).catch(unlessReplaced);
      });
    } finally {
      await inner.close();
    }
    await rmdir(this.path(name)).catch(unlessReplaced);
  }
}

/** False for a folder, which only `rmdir` removes. Links are removed, not followed. */
async function isUnlinked(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    if (systemCode(error) === 'EISDIR') return false;
    throw error;
  }
}

/** Another process has put something else there since, or more into it: the next round finds out. */
function unlessReplaced(error: unknown): void {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY'].includes(systemCode(error) ?? '')) throw error;
}
