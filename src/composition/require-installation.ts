import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasEmbeddedDatabase } from '../adapters/embedded-postgres.js';
import { readSecretFile } from '../adapters/secret-file.js';
import { type DatabaseAddress } from '../adapters/typeorm/database/connection.js';
import { hasOurTables } from '../adapters/typeorm/database-state.js';
import type { Config } from '../config/config.js';
import { databaseName, NoInstallationError } from '../config/installation.js';
import { BeforeFirstRelease } from '../core/backup/before-first-release.js';
import { reasonOf } from '../core/shared/errors.js';

/**
 * Checks whether there is an installation at the configured place, and creates nothing. A database server alone is not enough: a data
 * folder other than the installation's has another secret and other photos.
 * @throws NoInstallationError; BeforeFirstRelease; an Error that says why if the database cannot be reached.
 */
export async function requireInstallation({ databaseUrl, dataDir, secretKeys, blobStore }: Config): Promise<void> {
  const place = resolve(dataDir);
  if (databaseUrl === null) {
    if (!hasEmbeddedDatabase(place)) throw new NoInstallationError(place);
    return;
  }
  await requireTables({ url: databaseUrl }, databaseName(databaseUrl)).catch((error: unknown) => {
    throw error instanceof NoInstallationError || error instanceof BeforeFirstRelease
      ? error
      : unusable(databaseUrl, error);
  });
  const hasSecret = secretKeys !== null || (await readSecretFile(place)) !== null;
  const { folder } = blobStore.store;
  const hasBlobs = folder === undefined || existsSync(join(place, folder));
  if (!hasSecret || !hasBlobs) throw new NoInstallationError(place);
}

export async function requireTables(address: DatabaseAddress, place: string): Promise<void> {
  if (!(await hasOurTables(address))) throw new NoInstallationError(place);
}

/** Only the host of the address: the rest contains a password. */
export function unusable(url: string, error: unknown): Error {
  return new Error(`The database in DATABASE_URL, at ${new URL(url).host}, is unavailable: ${reasonOf(error)}`);
}
