import { chownSync, closeSync, fstatSync, openSync } from 'node:fs';
import { copyFile, open, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const LARGEST_BYTES = 5 * 1024 * 1024;

export type LogFile = Awaited<ReturnType<typeof openLogFile>>;

/**
 * The server's own log, `postgres.log` in the data folder: written by the server itself, so that it goes on while we are gone. The file and its
 * predecessor, postgres.log.1, stay near 5 MiB each.
 */
export async function openLogFile(dataDir: string, owner: { uid: number; gid: number }) {
  const path = join(dataDir, 'postgres.log');
  await boundLogFile(path, LARGEST_BYTES);
  const fd = openSync(path, 'a', 0o600);
  if (process.geteuid?.() === 0) chownSync(path, owner.uid, owner.gid);
  const start = fstatSync(fd).size;
  const timer = setInterval(() => void boundLogFile(path, LARGEST_BYTES).catch(() => undefined), 60_000);
  timer.unref();
  return {
    path,
    fd,
    /** Returns the last 4 KiB that the server wrote since the file was opened. */
    async tail(): Promise<string> {
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        const from = Math.max(start > size ? 0 : start, size - 4096);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
        return buffer.toString('utf8', 0, bytesRead);
      } finally {
        await file.close();
      }
    },
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}

/**
 * Copies and empties a file that has grown too large. It cannot be renamed under a running server, which keeps it open; lines that
 * arrive between the two steps are lost.
 */
export async function boundLogFile(path: string, largestBytes: number): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.size <= largestBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}
