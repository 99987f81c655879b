import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Archive, ArchiveFile } from './archive-file.js';

/** An export that was unpacked. Links are not followed. */
export async function openFolder(folder: string): Promise<Archive> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: ArchiveFile[] = [];
  for (const path of paths.sort()) files.push(await fileAt(folder, path));
  return { files, close: () => Promise.resolve() };
}

async function fileAt(folder: string, path: string): Promise<ArchiveFile> {
  const stats = await stat(path, { bigint: true });
  return {
    path: relative(folder, path).split(sep).join('/').normalize('NFC'),
    label: path,
    sizeBytes: Number(stats.size),
    crc32: null,
    open: (start) => Promise.resolve(createReadStream(path, { start })),
    bytes: (filename) => ({ path, stats, filename }),
  };
}
