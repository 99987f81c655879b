import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Makes what was created, renamed or removed in the folder survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
