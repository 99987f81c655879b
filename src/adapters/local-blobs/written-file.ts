import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { onDisk } from './storage-error.js';

const FILE_MODE = 0o600;

/** A new file with these bytes, synced. What `bytes` throws comes out as it is. */
export async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
  const handle = await onDisk(() => open(file, 'wx', FILE_MODE));
  try {
    for await (const chunk of bytes) await onDisk(() => writeAll(handle, chunk));
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

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await handle.write(chunk, written, chunk.length - written)).bytesWritten;
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
