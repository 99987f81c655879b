import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObservedBlobStore } from '../../src/adapters/decorators/observed-blob-store.js';
import { LocalBlobStore } from '../../src/adapters/local-blobs/local-blob-store.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { blobStoreContract } from './blob-store.contract.js';

blobStoreContract('memory, observed', async () => {
  const store = new ObservedBlobStore(new MemoryBlobStore(), () => undefined);
  return { store, close: async () => {} };
});

blobStoreContract('memory', async () => ({ store: new MemoryBlobStore(), close: async () => {} }));

let root: string;

blobStoreContract(
  'local folder',
  async () => {
    root = await mkdtemp(join(tmpdir(), 'blobs-'));
    return { store: await LocalBlobStore.open(root), close: () => rm(root, { recursive: true }) };
  },
  {
    // As a disk that is not mounted.
    async breakStore() {
      await rename(root, `${root}-elsewhere`);
      let isBroken = true;
      return async () => {
        if (!isBroken) return;
        isBroken = false;
        await rm(root, { recursive: true, force: true });
        await rename(`${root}-elsewhere`, root);
      };
    },
  },
);
