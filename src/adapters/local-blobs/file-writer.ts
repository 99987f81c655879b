import { type FileHandle, open } from 'node:fs/promises';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { BufferPool } from './buffer-pool.js';
import { infoOf } from './file-stats.js';
import { onDisk } from './storage-error.js';

const FILE_MODE = 0o600;
/** Bytes written by one call. Each call is passed to another thread, which takes as long as writing tens of kilobytes. */
const BATCH_BYTES = 256 * 1024;
const MAX_SPARE = 16;

/** Writes files. */
export class FileWriter {
  /** For bytes that are written together. */
  private readonly batches = new BufferPool(BATCH_BYTES, MAX_SPARE);
  private moments = Math.floor(Math.random() * 1000);

  /** A new file with these bytes, synced. Errors of `bytes` are rethrown unchanged. */
  async writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    const handle = await onDisk(() => open(file, 'wx', FILE_MODE));
    try {
      await this.writeAll(handle, bytes);
      return await onDisk(async () => {
        const now = this.nextMoment();
        await handle.utimes(now, now);
        await handle.sync();
        const info = infoOf(await handle.stat({ bigint: true }));
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

  /** Seconds since 1970, unique within a millisecond: kernels timestamp files in steps of several, and reuse inode numbers immediately. */
  private nextMoment(): number {
    this.moments += 1;
    return (Date.now() + (this.moments % 1000) / 1000) / 1000;
  }
}

function write(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  return onDisk(async () => {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
    }
  });
}
