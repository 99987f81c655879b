import { type BigIntStats, fstatSync, read } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { inOneChunk, readOnce } from '../../core/blobs/blob-bytes.js';
import type { BlobInfo, BlobState, ByteRange, Durability } from '../../core/blobs/blob-store.js';
import { DomainError } from '../../core/shared/errors.js';
import { Batcher, setNewest } from '../shared-work.js';
import { syncFolder } from '../sync-folder.js';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The code of a failed system call (`ENOENT`), or null for any other error. */
export function systemCode(error: unknown): string | null {
  // By its shape: `instanceof` is false for errors of Node itself when the caller runs in another realm, as tests do.
  if (typeof error !== 'object' || error === null || !('syscall' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * No such file, a file where a folder would be, or a symbolic link, which the service never creates: what a key without a blob looks like.
 */
export function isAbsence(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** For errors of calls on a file that need not be there. */
export function unlessAbsent(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null;
  throw error;
}

/** Runs file system calls: their failures become `service_unavailable`, with the system's error as the cause. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    const state = NO_ROOM.has(code) ? 'full' : 'temporarily unavailable';
    const message = `The photo storage is ${state}. Try again later.`;
    throw Object.assign(new DomainError('service_unavailable', message), { cause: error });
  }
}

/** Buffers of one size, used again after they were returned: new memory has to be cleared, and brings the next garbage collection closer. */
export class BufferPool {
  /** The one that was returned last is taken first: it is most likely still in the processor's cache. */
  private readonly spare: Uint8Array[] = [];

  constructor(
    readonly bufferBytes: number,
    private readonly maxSpare: number,
  ) {}

  take(): Uint8Array {
    return this.spare.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  /** Anything else than a whole buffer of this size is left to the garbage collector. */
  giveBack(buffer: Uint8Array): void {
    const isWhole = buffer.byteLength === this.bufferBytes && buffer.buffer.byteLength === this.bufferBytes;
    if (isWhole && this.spare.length < this.maxSpare && !this.spare.includes(buffer)) this.spare.push(buffer);
  }
}

/** Large enough that system calls cost little compared to copying, small enough for hundreds of readers and a processor's cache. */
export const CHUNK_BYTES = 256 * 1024;

/** Readers that were neither finished nor returned: their files are closed by the garbage collector. A safety net only. */
const forgotten = new FinalizationRegistry<FileHandle>((handle) => {
  handle.close().catch(() => undefined);
});

/**
 * The bytes of an open file from `range.start` to `range.end`, once. Takes ownership of the handle: it is closed at the end, on failure and
 * by return(), even if no byte was requested. Chunks come from the pool, to which readers may return them.
 */
export async function fileBytes(
  handle: FileHandle,
  range: ByteRange,
  pool: BufferPool,
): Promise<AsyncIterable<Uint8Array>> {
  const length = range.end + 1 - range.start;
  // Immediately: most files are thumbs, and keeping one open until it has been read is most of the work.
  if (0 < length && length <= CHUNK_BYTES) {
    const bytes = await readChunk(handle, range.start, length, pool);
    await handle.close();
    return readOnce(inOneChunk(bytes));
  }
  const reader = chunks(handle, range, pool);
  // A generator that was never entered skips its `finally` when it is returned: enter it, up to the first yield.
  await reader.next();
  forgotten.register(reader, handle, handle);
  return readOnce(reader);
}

async function* chunks(handle: FileHandle, range: ByteRange, pool: BufferPool): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield new Uint8Array(0);
    for (let position = range.start; position <= range.end; ) {
      const chunk = await readChunk(handle, position, Math.min(CHUNK_BYTES, range.end + 1 - position), pool);
      position += chunk.length;
      yield chunk;
    }
  } finally {
    forgotten.unregister(handle);
    await handle.close();
  }
}

const readAt = promisify(read);

async function readChunk(handle: FileHandle, position: number, length: number, pool: BufferPool): Promise<Uint8Array> {
  const buffer = length === CHUNK_BYTES ? pool.take() : Buffer.allocUnsafeSlow(length);
  for (let got = 0; got < length; ) {
    // Without the promises of `FileHandle.read`, which take as long as reading thirty kilobytes.
    const { bytesRead } = await onDisk(() => readAt(handle.fd, buffer, got, length - got, position + got));
    if (bytesRead === 0) throw new Error(`A stored file ends at byte ${position + got}, before its recorded end.`);
    got += bytesRead;
  }
  return buffer;
}

/** Bytes written by one call. Each call is passed to another thread, which takes as long as writing tens of kilobytes. */
const BATCH_BYTES = 256 * 1024;

export class FileWriter {
  /** For bytes that are written together. */
  private readonly batches = new BufferPool(BATCH_BYTES, 16);
  private moments = Math.floor(Math.random() * 1000);

  /** A new file with these bytes, synced unless it need not be. Errors of `bytes` are rethrown unchanged. */
  async writeFile(
    file: string,
    bytes: AsyncIterable<Uint8Array>,
    { isDurable = true }: Durability = {},
  ): Promise<BlobInfo> {
    const handle = await onDisk(() => open(file, 'wx', 0o600));
    try {
      await this.writeAll(handle, bytes);
      return await onDisk(async () => {
        // Seconds since 1970, unique within a millisecond: kernels timestamp files in steps of several, and reuse inode numbers immediately.
        this.moments += 1;
        const now = (Date.now() + (this.moments % 1000) / 1000) / 1000;
        await handle.utimes(now, now);
        if (isDurable) await handle.sync();
        // Without another thread, which takes longer to wake: the kernel has it at hand.
        const info = infoOf(fstatSync(handle.fd, { bigint: true }));
        await handle.close();
        return info;
      });
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Appends bytes to the file. Finishes with each chunk before it requests the next. Errors: `service_unavailable`; those of `bytes`,
   * unchanged.
   */
  async writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const batch = this.batches.take();
    let filled = 0;
    try {
      for await (const chunk of bytes) {
        for (let at = 0; at < chunk.length; ) {
          const piece = chunk.subarray(at, at + BATCH_BYTES - filled);
          batch.set(piece, filled);
          filled += piece.length;
          at += piece.length;
          if (filled < BATCH_BYTES) continue;
          await write(handle, batch);
          filled = 0;
        }
      }
      await write(handle, batch.subarray(0, filled));
    } finally {
      this.batches.giveBack(batch);
    }
  }
}

function write(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  return onDisk(async () => {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
    }
  });
}

/** The `etag` distinguishes a file from any other that ever had its path. */
export function infoOf(stats: BigIntStats): BlobInfo {
  const etag = [stats.ino, stats.mtimeNs, stats.size].map((part) => part.toString(36)).join('-');
  return { sizeBytes: Number(stats.size), etag };
}

/** The kernel sets the change time with everything that is done to a file, links to it included, and lets no program choose it. */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): BlobState {
  const fingerprint = [dev, ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
  return { fingerprint, changedAt: new Date(Number(ctimeMs)) };
}

const FOLDER_MODE = 0o700;

/** Enough in practice: each further attempt needs another delete that empties the folder in between. */
const MAX_TRIES = 50;
const MAX_KNOWN = 10_000;

/** Errors that show that a folder was removed meanwhile. ENOTDIR is mkdir's, which looks at a folder that it has found and that is gone by then. */
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
  private readonly syncs = new Batcher<string, null, string>(
    async (folder, calls) => {
      const identity = await syncFolder(folder);
      return calls.map(() => identity);
    },
    { retrySingly: false },
  );

  constructor(readonly root: string) {}

  /** Moves a file to its place, creating folders as needed. When it resolves, the entry survives a power failure, unless it need not. */
  async place(file: string, target: string, { isDurable = true }: Durability = {}): Promise<void> {
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
    if (isDurable) await this.settle(folder);
  }

  /**
   * Syncs a folder and those of its parents that are not known to be on the disk. One that is known has existed ever since, and so have its
   * parents: none of them can have been removed while it was not empty.
   */
  private async settle(folder: string): Promise<void> {
    const settled: [string, string][] = [];
    for (let child = folder; ; child = dirname(child)) {
      const identity = await this.sync(child);
      if (child === this.root || (identity !== null && this.onDisk.get(child) === identity)) break;
      if (identity !== null) settled.push([child, identity]);
    }
    for (const [child, identity] of settled) setNewest(this.onDisk, child, identity, MAX_KNOWN);
  }

  /** Syncs a folder's entries, and returns its identity. For one that is gone, the nearest existing parent is synced, and null returned. */
  async sync(folder: string): Promise<string | null> {
    try {
      return await this.syncs.enqueue(folder, null);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || folder === this.root) throw error;
      await this.sync(dirname(folder));
      return null;
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
