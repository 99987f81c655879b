import { randomBytes } from 'node:crypto';
import { chown, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The database role's password: made once, 192 bits, kept in `postgres-password` in the data folder, which only its owner may read. Of several
 * processes that make it at once, one wins and all get the same.
 */
export async function readOrMakePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres-password');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text !== undefined && /^[\w-]{32,}$/.test(text.trim())) return text.trim();
  const password = randomBytes(24).toString('base64url');
  const part = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(`${password}\n`);
    await file.sync().finally(() => file.close());
    const owner = await stat(dataDir);
    if (process.geteuid?.() === 0) await chown(part, owner.uid, owner.gid).catch(() => undefined);
    if (text !== undefined)
      await rename(part, path); // a damaged file gives way
    else if (!(await linked(part, path))) return await readOrMakePassword(dataDir);
  } finally {
    await rm(part, { force: true });
  }
  return password;
}

/** Unlike a rename, a link does not replace what another process has put there. @returns false when there is something. */
async function linked(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    await rename(part, path); // a file system without links
  }
  return true;
}
