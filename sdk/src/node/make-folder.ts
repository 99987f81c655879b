import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it, where they are missing. Not by `mkdir` with `recursive`: where the system will have no folders and says
 * ENOENT for it, as in /proc, that never ends.
 * @throws what the system says: EACCES, ENOTDIR, EEXIST where there is a file.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const path = resolve(folder);
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(async (error: NodeJS.ErrnoException) => {
    // Another process may have been faster.
    if (error.code !== 'EEXIST' || !(await isFolder(path))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
