import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces a file atomically: readers see the old content or the new one, even after a power failure. Readable by its owner only, unless
 * another mode is given.
 */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const draft = await openDraft(path, mode);
  try {
    try {
      await draft.file.writeFile(content);
      await draft.file.sync();
    } finally {
      await draft.file.close();
    }
    await rename(draft.path, path);
  } catch (error) {
    await rm(draft.path, { force: true });
    throw error;
  }
}

/**
 * A new file in the folder of `path`, to be renamed to it. Its name cannot be known before, and whatever has it already is an error: no one
 * who may write into the folder can have the bytes written elsewhere, through a link that was put there.
 */
export async function openDraft(
  path: string,
  mode: number,
): Promise<{ readonly path: string; readonly file: FileHandle }> {
  const draft = join(dirname(path), `.photo-service-${randomBytes(8).toString('hex')}.part`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW; O_EXCL refuses links by itself.
  const flags = O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0);
  return { path: draft, file: await open(draft, flags, mode) };
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
