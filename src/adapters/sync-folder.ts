import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Makes what was created, renamed or removed in the folder survive a crash of the machine. Returns what distinguishes the folder from a later one
 * of that name: inode numbers are reused, but not with the same time of creation.
 */
export async function syncFolder(folder: string): Promise<string> {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return '';
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
    const { ino, birthtimeNs } = await handle.stat({ bigint: true });
    return `${ino}/${birthtimeNs}`;
  } finally {
    await handle.close();
  }
}
