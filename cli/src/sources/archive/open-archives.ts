import { stat } from 'node:fs/promises';
import { UsageError } from '../../exit-codes.js';
import type { Archive } from './archive-file.js';
import { openFolder } from './folder-archive.js';
import { openZip } from './zip-archive.js';

/**
 * An export that consists of several archives, of folders into which they were unpacked, or of both, as one.
 * @throws UsageError for a path that is neither.
 */
export async function openArchives(paths: readonly string[]): Promise<Archive> {
  const archives: Archive[] = [];
  try {
    for (const path of paths) {
      const isFolder = (await stat(path)).isDirectory();
      if (!isFolder && !/\.zip$/i.test(path))
        throw new UsageError(`${path} is neither a zip archive nor a folder. Unpack other archives first.`);
      archives.push(isFolder ? await openFolder(path) : await openZip(path));
    }
  } catch (error) {
    await Promise.all(archives.map((archive) => archive.close()));
    throw error;
  }
  return {
    files: archives.flatMap(({ files }) => files),
    close: async () => {
      await Promise.all(archives.map((archive) => archive.close()));
    },
  };
}
