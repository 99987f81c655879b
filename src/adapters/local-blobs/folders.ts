import { mkdir, rename, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Batcher } from '../../core/shared/batcher.js';
import { syncFolder } from '../sync-folder.js';
import { systemCode } from './storage-error.js';

const FOLDER_MODE = 0o700;

/** Enough in practice: each further attempt needs another delete that empties the folder in between. */
const MAX_TRIES = 50;
const MAX_KNOWN = 10_000;

/** How a folder that is removed meanwhile shows. ENOTDIR is mkdir's, which looks at a folder that it has found and that is gone by then. */
const GONE = ['ENOENT', 'ENOTDIR'];

/** The folders between a root and its blobs: created with the first blob, removed with the last. Other processes do the same. */
export class Folders {
  /**
   * Folders whose own entry in their parent is on the disk, by path, with an identity that distinguishes the folder from a later one of
   * that name. Not taken from mkdir's result: an existing folder may be one that another put, or a process that died, has created and not
   * yet synced.
   */
  private readonly onDisk = new Map<string, string>();

  /**
   * A caller that needs a folder synced while it is being synced joins the next sync, with all others that wait for it. A failed sync is
   * not retried: the system reports a lost write once, and the second sync would appear to succeed (fsync(2)).
   */
  private readonly syncs = new Batcher<string, null, void>(
    async (folder, calls) => {
      await syncFolder(folder);
      return calls.map(() => undefined);
    },
    { retrySingly: false },
  );

  constructor(readonly root: string) {}

  /** Moves a file to its place, creating folders as needed. When it resolves, the entry survives a power failure. */
  async place(file: string, target: string): Promise<void> {
    const folder = dirname(target);
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries > 1) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
        await rename(file, target);
        break;
      } catch (error) {
        if (!GONE.includes(systemCode(error) ?? '') || tries === MAX_TRIES) throw error;
      }
    }
    await this.settle(folder);
  }

  /**
   * Syncs a folder and those of its parents that are not known to be on the disk. One that is known has existed ever since, and so have its
   * parents: none of them can have been removed while it was not empty.
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

  /** Syncs a folder's entries. For one that is gone, the nearest existing parent is synced. */
  async sync(folder: string): Promise<void> {
    try {
      await this.syncs.enqueue(folder, null);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || folder === this.root) throw error;
      await this.sync(dirname(folder));
    }
  }

  /**
   * Removes a folder if it is empty, then its parents. Best effort: an empty folder does no harm. Returns the first that still exists: once
   * it is synced, the removal is durable.
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

/** Creates a folder and its parents, and syncs the new entries. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Inode numbers are reused; together with the creation time they are unique. */
async function identify(folder: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(folder, { bigint: true });
    return `${ino}/${birthtimeNs}`;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
