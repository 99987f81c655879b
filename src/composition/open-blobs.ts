import { join } from 'node:path';
import { FileScrubPosition } from '../adapters/local-blobs/file-scrub-position.js';
import { LocalBlobStore } from '../adapters/local-blobs/local-blob-store.js';
import type { Config } from '../config/config.js';
import type { BlobStore } from '../core/blobs/blob-store.js';
import type { ScrubPosition } from '../core/integrity/scrub.js';
import type { Ports } from '../core/ports.js';

export type OpenBlobs = Pick<Ports, 'blobs' | 'directUploads'> & {
  /** Null for a store that compares stored bytes with their checksums itself. */
  readonly scrubPosition: ScrubPosition | null;
  close(): void;
};

export async function openBlobs({
  blobStore: { store, settings },
  dataDir,
  limits: { maxFileBytes },
  minFreeBytes = null,
}: Pick<Config, 'blobStore' | 'dataDir' | 'limits'> & Partial<Pick<Config, 'minFreeBytes'>>): Promise<OpenBlobs> {
  const opened = await store.open(settings, { dataDir, maxFileBytes, minFreeBytes });
  return {
    blobs: opened.blobs,
    directUploads: opened.directUploads ?? null,
    scrubPosition: store.verifiesItself ? null : new FileScrubPosition(join(dataDir, 'verified-originals.json')),
    close: () => opened.close?.(),
  };
}

/** A folder that is used as a blob store. */
export function openBlobFolder(folder: string): Promise<BlobStore> {
  return LocalBlobStore.open(folder);
}
