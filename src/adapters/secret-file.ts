import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.js';
import { syncFolder } from './sync-folder.js';

/** The installation's own signing secret, generated at the first start and stored in a file that only its owner can read. */
export async function readOrMakeSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret-key');
  for (;;) {
    try {
      const secret = (await readFile(path, 'utf8')).trim();
      if (secret.length >= 32) return secret;
      throw new Error(
        `${path} is damaged. Restore it from your backup, or delete it, which invalidates upload URLs and cursors.`,
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await make(dataDir, path);
  }
}

/** The secret of a data folder; null when it has none yet. */
export async function readSecretFile(dataDir: string): Promise<string | null> {
  return readFile(join(dataDir, 'secret-key'), 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

/** Creates a secret in a data folder, unless it has one. */
export function writeSecretFile(dataDir: string, secret: string): Promise<void> {
  return make(dataDir, join(dataDir, 'secret-key'), secret);
}

/** Whole or absent, and only one of two that start at once: written to a temporary file, then linked to its name. Survives a power failure. */
async function make(dataDir: string, path: string, secret = randomBytes(32).toString('hex')): Promise<void> {
  await makeDataDir(dataDir);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
}
