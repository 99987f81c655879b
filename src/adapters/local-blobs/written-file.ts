import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { onDisk } from './storage-error.js';

const FILE_MODE = 0o600;

/** A new file with these bytes, synced. What `bytes` throws comes out as it is. */
export async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
  const handle = await onDisk(() => open(file, 'wx', FILE_MODE));
  try {
    await writeAll(handle, bytes);
    return await onDisk(async () => {
      const now = nextMoment();
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

/** What is written by one call. Each call is handed to another thread, which takes as long as writing some tens of kilobytes. */
const BATCH_BYTES = 256 * 1024;

/** Writes bytes where the file ends. Errors: `service_unavailable`; those of `bytes`, as they are. */
export async function writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    batch.push(chunk);
    size += chunk.length;
    if (size < BATCH_BYTES) continue;
    await onDisk(() => writeBatch(handle, batch));
    batch = [];
    size = 0;
  }
  await onDisk(() => writeBatch(handle, batch));
}

async function writeBatch(handle: FileHandle, batch: readonly Uint8Array[]): Promise<void> {
  let left = batch.filter((chunk) => chunk.length > 0);
  while (left.length > 0) left = behind(left, (await handle.writev(left)).bytesWritten);
}

/** What is left of them after so many bytes. */
function behind([first, ...rest]: readonly Uint8Array[], written: number): Uint8Array[] {
  if (first === undefined) return [];
  return written < first.length ? [first.subarray(written), ...rest] : behind(rest, written - first.length);
}

let moments = Math.floor(Math.random() * 1000);

/** Seconds since 1970, told apart within a millisecond: kernels stamp files in steps of several, and reuse inode numbers at once. */
function nextMoment(): number {
  moments += 1;
  return (Date.now() + (moments % 1000) / 1000) / 1000;
}

/** The `etag` tells a file from any other that was ever at its place. */
export function infoOf(stats: BigIntStats): BlobInfo {
  const etag = [stats.ino, stats.mtimeNs, stats.size].map((part) => part.toString(36)).join('-');
  return { sizeBytes: Number(stats.size), etag };
}
