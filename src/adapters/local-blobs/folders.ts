import { constants } from 'node:fs';
import { mkdir, open, rename, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Batcher } from '../../core/shared/batcher.js';
import { systemCode } from './storage-error.js';

export const FOLDER_MODE = 0o700;

/** Enough for any run of bad luck: each further try needs another delete that empties the folder in between. */
const MAX_TRIES = 50;
const MAX_KNOWN = 10_000;

/** The folders between a root and its blobs: made when a blob comes, removed when the last one goes. Other processes do the same. */
export class Folders {
  /**
   * Folders whose own entry in their parent is on the disk, by path, with what tells the folder from a later one of that name.
   * Not taken from mkdir's answer: a folder that was there already may be one that another put, or a process that died, has made
   * and not yet synced.
   */
  private readonly onDisk = new Map<string, string>();

  /**
   * Who needs a folder synced while it is being synced joins the next time, with all who wait for that. A sync that failed is not
   * tried again: the system tells a lost write once, and the second would seem to have gone well (fsync(2)).
   */
  private readonly syncs = new Batcher<string, null, void>(
    async (folder, calls) => {
      await syncFolder(folder);
      return calls.map(() => undefined);
    },
    { retrySingly: false },
  );

  constructor(readonly root: string) {}

  /** Moves a file to its place, making folders as needed. When it resolves, the place survives a power cut. */
  async place(file: string, target: string): Promise<void> {
    const folder = dirname(target);
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries > 1) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
        await rename(file, target);
        break;
      } catch (error) {
        if (systemCode(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
      }
    }
    await this.settle(folder);
  }

  /**
   * Syncs a folder and the parents of those above it that are not known to be on the disk. One that is known has been there ever since,
   * and with it all above it: none of them can have been removed while it was not empty.
   */
  private async settle(folder: string): Promise<void> {
    const unsettled: [string, string][] = [];
    for (let child = folder; child !== this.root; child = dirname(child)) {
      const identity = await identify(child);
      if (identity !== null && this.onDisk.get(child) === identity) break;
      if (identity !== null) unsettled.push([child, identity]);
    }
    await Promise.all([folder, ...unsettled.map(([child]) => dirname(child))].map((each) => this.sync(each)));
    for (const [child, identity] of unsettled) this.remember(child, identity);
  }

  private remember(folder: string, identity: string): void {
    this.onDisk.set(folder, identity);
    for (const oldest of this.onDisk.keys()) {
      if (this.onDisk.size <= MAX_KNOWN) break;
      this.onDisk.delete(oldest);
    }
  }

  /** Puts a folder's entries on the disk. One that is gone stands for the nearest folder above it. */
  async sync(folder: string): Promise<void> {
    try {
      await this.syncs.enqueue(folder, null);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || folder === this.root) throw error;
      await this.sync(dirname(folder));
    }
  }

  /**
   * Removes a folder if it is empty, then those above it. Best effort: what is left empty does no harm. Answers the first that is still
   * there: once it is synced, what was removed does not come back.
   */
  async prune(folder: string): Promise<string> {
    for (let empty = folder; empty !== this.root; empty = dirname(empty)) {
      try {
        await rmdir(empty);
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') return empty;
      }
      this.onDisk.delete(empty);
    }
    return this.root;
  }
}

/** Makes a folder and those above it, and puts the new entries on the disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Inode numbers come back; together with the moment of making they do not. */
async function identify(folder: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(folder, { bigint: true });
    return `${ino}/${birthtimeNs}`;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
