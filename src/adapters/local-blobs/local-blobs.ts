import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BlobStoreKind } from '../../core/blobs/blob-store-kind.js';
import { makeDataDir } from '../data-dir.js';
import { LocalBlobStore } from './local-blob-store.js';

export interface LocalSettings {
  /** Another data folder than that of the installation; null: its own. */
  readonly dataDir: string | null;
}

const FOLDER = 'blobs';

/** Files below the data folder of the installation. */
export const localBlobs: BlobStoreKind<LocalSettings> = {
  kind: 'local',
  folder: FOLDER,
  advice: 'Check the disk of DATA_DIR and the permissions of its folder blobs.',
  urlForm: 'file:///DATA_DIR',
  settings: () => ({ dataDir: null }),
  fromUrl: (url) => (url.protocol === 'file:' && url.host === '' ? { dataDir: fileURLToPath(url) } : null),
  describe: (settings, dataDir) => join(settings.dataDir ?? dataDir, FOLDER),
  async open(settings, options) {
    const dataDir = settings.dataDir ?? options.dataDir;
    await makeDataDir(dataDir);
    return { blobs: await LocalBlobStore.open(join(dataDir, FOLDER), options.minFreeBytes) };
  },
};
