import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces a file atomically: readers see the old content or the new one, even after a power failure. Readable by its owner only, unless
 * another mode is given.
 */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await replaceWhole(path, mode, (draft) => draft.writeFile(content));
}

/**
 * The same, by what writes the content into a new file beside it. Its name cannot be known before, and whatever has it already is an error: no
 * one who may write into the folder can have the bytes written elsewhere, through a link that was put there.
 */
export async function replaceWhole<T>(
  path: string,
  mode: number,
  write: (draft: FileHandle) => Promise<T>,
): Promise<T> {
  const draft = join(dirname(path), `.photo-service-${randomBytes(8).toString('hex')}.part`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW; O_EXCL refuses links by itself.
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode);
  try {
    const written = await write(file);
    await file.sync();
    await file.close();
    await rename(draft, path);
    return written;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

const NAME = /^\.photo-service-[0-9a-f]{16}\.part$/;
/** The age from which a draft counts as left by a process that was killed; a younger one may be another process's work. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Removes what downloads into this folder have left that were killed. */
export async function removeStaleDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!NAME.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() && Date.now() - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}
