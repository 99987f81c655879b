import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates the data folder when it is missing. Errors: an Error that says what to do. Call it before anything below it is created: where the
 * system cannot create folders and reports ENOENT for it, as in /proc, `mkdir` with `recursive` never returns.
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    // Root's folder can be entered by other accounts, but not listed: the embedded database runs as one of them.
    await makeFolders(resolve(dataDir), process.geteuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The data folder ${dataDir} cannot be used (${message}): choose another DATA_DIR.`);
  }
}

/** Creates a folder and its parents if they are missing. Errors: those of the system. */
export async function makeFolders(path: string, mode: number): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolders(dirname(path), mode);
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster, or there is a file, which the next call reports.
    if (error.code !== 'EEXIST') throw error;
  });
}
