import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file as a whole: whoever reads it sees the old content or the new one, a power cut included. Readable by its owner alone.
 */
export async function writeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
