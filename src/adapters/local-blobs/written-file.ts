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
const MOST_SPARE = 16;

/** Memory for what is to be written together, used again: new memory has to be cleared by the system, which takes longer than copying into it. */
const spare: Uint8Array[] = [];

/**
 * Writes bytes where the file ends. Is done with each piece before it asks for the next.
 * Errors: `service_unavailable`; those of `bytes`, as they are.
 */
export async function writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const batch = spare.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
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
    if (spare.length < MOST_SPARE) spare.push(batch);
  }
}

function write(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  return onDisk(async () => {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
    }
  });
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
