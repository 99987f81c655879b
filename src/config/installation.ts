import { resolve } from 'node:path';
import type { Config } from './config.js';

/** Nothing is stored where the settings point: a command that continued would create an empty installation and find it healthy. */
export class NoInstallationError extends Error {
  constructor(place: string) {
    super(
      `there is no installation in ${place}. Run the command in the folder of an installation, or specify one with DATA_DIR, DATABASE_URL or --env-file. phs serve creates a new one.`,
    );
    this.name = 'NoInstallationError';
  }
}

/** The database of DATABASE_URL for people: its location, without account and password. */
export function databaseName(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `the database ${decodeURIComponent(pathname.slice(1))} at ${host}`;
}

/** The installation that a command acts on, for people; without secrets. */
export function installationName(config: Pick<Config, 'databaseUrl' | 'dataDir' | 'blobStore'>): string {
  const { databaseUrl, dataDir, blobStore } = config;
  const { store, settings } = blobStore;
  const folder = resolve(dataDir);
  const place = databaseUrl === null ? folder : `${databaseName(databaseUrl)}, data folder ${folder}`;
  const photos = store.folder === undefined ? `, photos in ${store.describe(settings, folder)}` : '';
  return `the installation in ${place}${photos}`;
}
