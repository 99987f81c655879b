import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobStoresOf, configOf } from '../../src/composition/blob-stores.js';
import { openBlobs } from '../../src/composition/open-blobs.js';
import { blobStoreContract } from './blob-store.contract.js';

/*
 * The example of docs/adapters.md, as a module from outside is loaded.
 */
const BLOB_STORE = join(__dirname, '../../examples/blob-store/folder-store.mjs');

let folder: string;

blobStoreContract(
  'the example, from outside',
  async () => {
    folder = await mkdtemp(join(tmpdir(), 'phs-example-'));
    const { blobs, close } = await openBlobs(configOf({ BLOB_STORE, STORE_FOLDER: folder }));
    return {
      store: blobs,
      async close() {
        close();
        await rm(folder, { recursive: true });
      },
    };
  },
  {
    async breakStore() {
      await rename(folder, `${folder}-elsewhere`);
      let isBroken = true;
      return async () => {
        if (isBroken) await rename(`${folder}-elsewhere`, folder);
        isBroken = false;
      };
    },
  },
);

test('the example has the settings of its own, and says where it is', () => {
  const config = configOf({ BLOB_STORE, STORE_FOLDER: '/srv/photos' });
  expect(config.blobStore.store.describe(config.blobStore.settings, '/data')).toBe('the folder /srv/photos');
  expect(blobStoresOf({ BLOB_STORE }).map(({ kind }) => kind)).toContain(BLOB_STORE);
  expect(() => configOf({ BLOB_STORE })).toThrow('STORE_FOLDER must be set because BLOB_STORE is folder-store.mjs.');
});
