import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.js';
import { syncFolder } from './sync-folder.js';

/** The installation's own signing secret, generated at the first start and stored in a file that only its owner can read. */
export async function readOrMakeSecret(dataDir: string): Promise<string> {
  for (;;) {
    const secret = await readSecretFile(dataDir);
    if (secret !== null && secret.length >= 32) return secret;
    if (secret !== null)
      throw new Error(
        `${secretFile(dataDir)} is damaged. Restore it from your backup, or delete it, which invalidates upload URLs and cursors.`,
      );
    await writeSecretFile(dataDir, randomBytes(32).toString('hex'));
  }
}

/** The secret of a data folder; null when it has none yet. */
export async function readSecretFile(dataDir: string): Promise<string | null> {
  return readFile(secretFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

/**
 * Creates a secret in a data folder, unless it has one. Whole or absent, and only one of two that start at once: written to a temporary file,
 * then linked to its name. Survives a power failure.
 */
export async function writeSecretFile(dataDir: string, secret: string): Promise<void> {
  const path = secretFile(dataDir);
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

const secretFile = (dataDir: string) => join(dataDir, 'secret-key');
