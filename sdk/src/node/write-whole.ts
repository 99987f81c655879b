import { rename, rm } from 'node:fs/promises';
import { openDraft } from './draft-file.js';

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
