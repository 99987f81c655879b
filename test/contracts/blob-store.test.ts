import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalBlobStore } from '../../src/adapters/local-blobs/local-blob-store.js';
import { ObservedBlobStore } from '../../src/adapters/observed-blob-store.js';
import { MemoryBlobStore } from '../memory/memory-blob-store.js';
import { blobStoreContract } from './blob-store.contract.js';

blobStoreContract('memory, observed', async () => {
  const store = new ObservedBlobStore(new MemoryBlobStore(), () => undefined);
  return { store, close: async () => {} };
});

blobStoreContract('memory', async () => ({ store: new MemoryBlobStore(), close: async () => {} }));

blobStoreContract('local folder', async () => {
  const root = await mkdtemp(join(tmpdir(), 'blobs-'));
  return { store: await LocalBlobStore.open(root), close: () => rm(root, { recursive: true }) };
});
