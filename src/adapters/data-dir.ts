import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes the data folder when it is missing. Errors: an Error that says what to do. To be asked before anything below it is made:
 * where the system will have no folders at all and says ENOENT for it, as in /proc, `mkdir` with `recursive` tries for ever.
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    // Root's folder lets other accounts pass, not look: the embedded database runs as one of them.
    await makeFolders(resolve(dataDir), process.geteuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The data folder ${dataDir} cannot be used (${message}): give another DATA_DIR.`);
  }
}

/** Makes a folder, and those above it, where they are missing. Errors: what the system says. */
export async function makeFolders(path: string, mode: number): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolders(dirname(path), mode);
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster, or there is a file, and whoever comes next says so.
    if (error.code !== 'EEXIST') throw error;
  });
}
