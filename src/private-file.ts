import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Writes a file that only its owner can read (mode 0600), whole or not at all; one that has the name is replaced. Its folder is there. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  // Never a file that somebody else put there: it would keep the mode that it has.
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync().finally(() => file.close());
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
