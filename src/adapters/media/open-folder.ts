import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../local-blobs/storage-error.js';

/** Where Linux shows the open files of a process: a path through one begins at the file that was opened, wherever it is by now. */
const DESCRIPTORS = '/proc/self/fd';
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Deeper than any path that a program can name at once; only a process that still adds more needs as many. */
const MAX_ROUNDS = 10_000;
/** Entries that are removed at the same time. */
const BATCH = 16;

/**
 * A folder that was opened, so that its entries are reached from it and not by a path on which somebody else may have put a link meanwhile:
 * what stands here for openat(2), unlinkat(2) and renameat(2), which Node does not have. Where there is no /proc it is reached by its path;
 * decoders have no other account there, and no sandbox.
 */
export class OpenFolder {
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
