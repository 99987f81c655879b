import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { onDisk } from './storage-error.js';

const FILE_MODE = 0o600;

/** A new file with these bytes, synced. What `bytes` throws comes out as it is. */
export async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
  const handle = await onDisk(() => open(file, 'wx', FILE_MODE));
  try {
    for await (const chunks of handfuls(bytes)) await onDisk(() => writeAll(handle, chunks));
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

/** What is written by one call at least, but at the end: a network hands over less at a time, and each call costs as much as the writing. */
const HANDFUL_BYTES = 256 * 1024;

async function* handfuls(bytes: AsyncIterable<Uint8Array>): AsyncIterable<readonly Uint8Array[]> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < HANDFUL_BYTES) continue;
    yield chunks;
    chunks = [];
    size = 0;
  }
  if (size > 0) yield chunks;
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let { bytesWritten: done } = await handle.writev(chunks);
  for (const chunk of chunks) {
    // Mostly all of it was written by the first call.
    for (let from = Math.min(done, chunk.length); from < chunk.length; ) {
      from += (await handle.write(chunk, from, chunk.length - from)).bytesWritten;
    }
    done = Math.max(0, done - chunk.length);
  }
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
