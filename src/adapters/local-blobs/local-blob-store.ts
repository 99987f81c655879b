import { createHash, randomBytes } from 'node:crypto';
import { type BigIntStats, constants, type Dirent, lstatSync } from 'node:fs';
import { link, lstat, open, opendir, readdir, readFile, readlink, rm, stat, statfs, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkedRange } from '../../core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix, isBlobKey } from '../../core/blobs/blob-key.js';
import type {
  BlobFile,
  BlobInfo,
  BlobStore,
  ByteRange,
  DiskSpace,
  Durability,
  ListedBlob,
  OpenBlob,
} from '../../core/blobs/blob-store.js';
import type { BlobStoreKind } from '../../core/blobs/blob-store-kind.js';
import { DAY } from '../../core/shared/clock.js';
import { makeDataDir } from '../data-dir.js';
import { isAlive, START_TIME, STATE, statFields } from '../process-usage.js';
import {
  BufferPool,
  CHUNK_BYTES,
  FileWriter,
  Folders,
  fileBytes,
  infoOf,
  isAbsence,
  makeFolder,
  onDisk,
  stateOf,
  systemCode,
} from './files.js';

const FOLDER = 'blobs';

/** Files below the data folder of the installation. */
export const localBlobs: BlobStoreKind<{
  /** Another data folder than that of the installation; null: its own. */
  readonly dataDir: string | null;
}> = {
  kind: 'local',
  folder: FOLDER,
  advice: 'Check the disk of DATA_DIR and the permissions of its folder blobs.',
  urlForm: 'file:///DATA_DIR',
  settings: () => ({ dataDir: null }),
  fromUrl: (url) => (url.protocol === 'file:' && url.host === '' ? { dataDir: fileURLToPath(url) } : null),
  describe: (settings, dataDir) => join(settings.dataDir ?? dataDir, FOLDER),
  async open(settings, options) {
    const dataDir = settings.dataDir ?? options.dataDir;
    await makeDataDir(dataDir);
    return { blobs: await LocalBlobStore.open(join(dataDir, FOLDER), options.minFreeBytes) };
  },
};

const TEMP_FOLDER = 'tmp';
const LIST_BATCH = 64;
const SPACE_MS = 100;
/** More bytes than any disk takes meanwhile. With fewer left, each upload looks again: the disk may be full by the next. */
const MAX_WRITTEN_MEANWHILE = 2 * 1024 ** 3;

/** Errors of link(2) that mean "not here", "not on this file system" or "no more links to this file": then the bytes are copied. */
const CANNOT_LINK = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']);

/**
 * File systems of Linux on disks of this machine, by their magic numbers: ext4, XFS, Btrfs, ZFS, F2FS, tmpfs and overlayfs. What they have
 * told lately they still know, and never ask a server that may not answer.
 */
const OF_THIS_MACHINE = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x1021994, 0x794c7630]);

/**
 * Blobs as files: `root/<key>`. Several processes may use one root. A blob is written under `root/tmp`, synced, then renamed to its key,
 * and never changed in place; so a copy is a second link to the same file.
 */
export class LocalBlobStore implements BlobStore {
  private readonly chunks = new BufferPool(CHUNK_BYTES, 64);
  private readonly release = (chunk: Uint8Array) => this.chunks.giveBack(chunk);
  private readonly writer = new FileWriter();
  private space: (DiskSpace & { readonly until: number }) | null = null;

  private constructor(
    private readonly folders: Folders,
    private readonly temp: Awaited<ReturnType<typeof tempFiles>>,
    private readonly minFreeBytes: number | null,
    private readonly isOnThisMachine: boolean,
  ) {}

  /**
   * Creates missing folders (mode 0700) and removes temporary files that are no longer written.
   * @param minFreeBytes As in `DiskSpace`.
   */
  static async open(rootFolder: string, minFreeBytes: number | null = null): Promise<LocalBlobStore> {
    const root = resolve(rootFolder);
    return onDisk(async () => {
      await makeFolder(join(root, TEMP_FOLDER));
      const temp = await tempFiles(join(root, TEMP_FOLDER));
      await temp.sweep();
      const { type } = await statfs(root);
      return new LocalBlobStore(new Folders(root), temp, minFreeBytes, OF_THIS_MACHINE.has(type));
    });
  }

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>, durability?: Durability): Promise<BlobInfo> {
    const target = this.path(key);
    const temp = this.temp.next();
    try {
      const info = await this.writer.writeFile(temp, bytes, durability);
      await onDisk(() => this.folders.place(temp, target, durability));
      return info;
    } catch (error) {
      await discard(temp);
      throw error;
    }
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    const path = this.path(key);
    return onDisk(async () => {
      const handle = await this.unlessAbsent(() => open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
      if (handle === null) return null;
      try {
        const stats = await handle.stat({ bigint: true });
        if (!stats.isFile()) return await handle.close().then(() => null);
        const info = infoOf(stats);
        const bytes = await fileBytes(handle, checkedRange(range, info.sizeBytes), this.chunks);
        return { ...info, bytes, release: this.release, state: stateOf(stats) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  async head(key: BlobKey, isSeenLately = false): Promise<BlobInfo | null> {
    const path = this.path(key);
    const now = isSeenLately && this.isOnThisMachine ? statNow(path) : undefined;
    const stats = now ?? (await onDisk(() => this.unlessAbsent(() => lstat(path, { bigint: true }))));
    return stats?.isFile() ? infoOf(stats) : null;
  }

  async file(key: BlobKey): Promise<BlobFile | null> {
    const path = this.path(key);
    const stats = await onDisk(() => this.unlessAbsent(() => lstat(path, { bigint: true })));
    return stats?.isFile() ? { ...infoOf(stats), path, state: stateOf(stats) } : null;
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    const [source, target] = [this.path(from), this.path(to)];
    const temp = this.temp.next();
    try {
      const linked = await onDisk(() => this.unlessAbsent(() => tryLink(source, temp)));
      if (linked === null) return false;
      if (!linked) {
        const read = await this.get(from);
        if (read?.etag === ifMatch) return await this.put(to, read.bytes).then(() => true);
        await read?.bytes[Symbol.asyncIterator]().return?.();
        return false;
      }
      // Asked of the link, not of the source, which may have been replaced since.
      const stats = await onDisk(() => lstat(temp, { bigint: true }));
      if (!stats.isFile() || infoOf(stats).etag !== ifMatch) return false;
      await onDisk(() => this.folders.place(temp, target));
      return true;
    } finally {
      // Needed after success too: rename(2) leaves both names when they are links to one file already.
      await discard(temp);
    }
  }

  async delete(keys: readonly BlobKey[], { isDurable = true }: Durability = {}): Promise<void> {
    const paths = keys.map((key) => this.path(key));
    await onDisk(async () => {
      const emptied = new Set<string>();
      for (const path of paths) {
        const gone = await this.unlessAbsent(() => unlink(path).then(() => true));
        if (gone) emptied.add(dirname(path));
      }
      // The next blob is likely to come to the same folders, which would be made and synced again.
      if (!isDurable) return;
      const left = new Set<string>();
      for (const folder of emptied) left.add(await this.folders.prune(folder));
      for (const folder of left) await this.folders.sync(folder);
    });
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    checkPrefix(prefix);
    const names = prefix.lastIndexOf('/') + 1;
    yield* this.walk(dirname(this.path(`${prefix}x` as BlobKey)), prefix.slice(0, names), prefix.slice(names));
  }

  /** Removes abandoned temporary files, as `tempFiles` says: a put that has written within a day is never affected. */
  sweep(): Promise<void> {
    return onDisk(() => this.temp.sweep());
  }

  /**
   * Returns the space of the disk that the folder is on, as far as this account may fill it. Each upload asks: while there is plenty, one look serves
   * those of `SPACE_MS`.
   */
  async diskSpace(): Promise<DiskSpace> {
    if (this.space !== null && performance.now() < this.space.until) return this.space;
    const { bavail, blocks, bsize } = await onDisk(() => statfs(this.folders.root));
    const space = { freeBytes: bavail * bsize, totalBytes: blocks * bsize, minFreeBytes: this.minFreeBytes };
    const isPlenty =
      space.freeBytes > 2 * Math.max(space.totalBytes / 10, this.minFreeBytes ?? 0, MAX_WRITTEN_MEANWHILE);
    this.space = isPlenty ? { ...space, until: performance.now() + SPACE_MS } : null;
    return space;
  }

  private async *walk(folder: string, prefix: string, begin = ''): AsyncGenerator<ListedBlob, void, void> {
    const entries = await onDisk(() => this.unlessAbsent(() => opendir(folder, { bufferSize: LIST_BATCH })));
    if (entries === null) return;
    let files: string[] = [];
    try {
      for (;;) {
        const entry: Dirent | null = await onDisk(() => entries.read());
        if (entry !== null && !entry.name.startsWith(begin)) continue;
        if (entry?.isFile()) files.push(entry.name);
        if (files.length === LIST_BATCH || entry === null) {
          yield* await this.listed(folder, prefix, files);
          files = [];
        }
        if (entry === null) return;
        if (entry.isDirectory()) yield* this.walk(join(folder, entry.name), `${prefix}${entry.name}/`);
      }
    } finally {
      await entries.close();
    }
  }

  private async listed(folder: string, prefix: string, names: readonly string[]): Promise<ListedBlob[]> {
    const listed = await Promise.all(
      names.map(async (name) => {
        const key = `${prefix}${name}`;
        // A file that the service did not create.
        if (!isBlobKey(key)) return [];
        const stats = await onDisk(() => this.unlessAbsent(() => lstat(join(folder, name))));
        // A link has the modification time of its source; its change time also reflects the linking.
        return stats === null ? [] : [{ key, sizeBytes: stats.size, modifiedAt: stats.ctime }];
      }),
    );
    return listed.flat();
  }

  /** Null when the file does not exist. If the store itself is missing (for example not mounted), that is an error, not absence. */
  private async unlessAbsent<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!isAbsence(error)) throw error;
      await stat(this.temp.folder);
      return null;
    }
  }

  private path(key: BlobKey): string {
    checkKeys(key);
    if (key.startsWith(`${TEMP_FOLDER}/`) || key === TEMP_FOLDER) throw new Error(`Not a blob key: "${key}"`);
    return join(this.folders.root, key);
  }
}

/**
 * Returns what lstat(2) says of a file, without another thread: waking one takes ten times as long as such a call where the kernel need not
 * read the disk. Undefined when it fails, or there is no such file: ask again in the usual way, which also knows why.
 */
function statNow(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

async function tryLink(source: string, file: string): Promise<boolean> {
  try {
    await link(source, file);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has(systemCode(error) ?? '')) return false;
    throw error;
  }
}

async function discard(file: string): Promise<void> {
  // Best effort: the sweep removes what remains.
  await unlink(file).catch(() => undefined);
}

/** No upload pauses for so long: the process that created the file has ended. */
const MAX_AGE_MS = DAY;

/**
 * A temporary file is named `scope-pid-start-random`. The scope is the running system and its PID namespace: two containers that share the
 * folder do not see each other's processes and must not interpret their ids. The start distinguishes a process from a later one with the
 * same id.
 */
const NAME = /^([0-9a-f]{12})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{24}$/;

/** Names for new files in `folder`. */
async function tempFiles(folder: string) {
  const owner = `${await scope()}-${process.pid}-${(await processStart(process.pid)) ?? '0'}`;
  return {
    folder,
    next: () => join(folder, `${owner}-${randomBytes(12).toString('hex')}`),
    /** Removes files of dead processes, and those that have not been written to for a day. Files with other names are left alone. */
    async sweep(): Promise<void> {
      const here = await scope();
      for (const name of await readdir(folder)) {
        const [, from, pid, start] = NAME.exec(name) ?? [];
        if (from === undefined) continue;
        const file = join(folder, name);
        const abandoned = from === here && (await processStart(Number(pid))) !== start;
        if (abandoned || (await isOld(file))) await rm(file, { force: true });
      }
    },
  };
}

async function isOld(file: string): Promise<boolean> {
  try {
    // By the machine's clock, as the times of files are.
    return Date.now() - (await stat(file)).mtimeMs > MAX_AGE_MS;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function scope(): Promise<string> {
  const system = [hostname()];
  if (process.platform === 'linux') {
    system.push(await readFile('/proc/sys/kernel/random/boot_id', 'utf8'), await readlink('/proc/self/ns/pid'));
  }
  return createHash('sha256').update(system.join('\n')).digest('hex').slice(0, 12);
}

/**
 * A value that stays the same while a process lives, and that no later one with its id shares; null when there is none, or only a zombie.
 * Linux: clock ticks since boot. Elsewhere all live processes look alike.
 */
async function processStart(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return isAlive(pid) ? '0' : null;
  try {
    const fields = statFields(await readFile(`/proc/${pid}/stat`, 'utf8'));
    return fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : (fields[START_TIME] ?? null);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH') return null;
    throw error;
  }
}
