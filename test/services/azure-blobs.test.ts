/* @slow */
import { AzureBlobStore } from '../../src/adapters/azure-blobs/azure-blob-store.js';
import type { AzureSettings } from '../../src/adapters/azure-blobs/azure-blobs.js';
import { AzureContainer, type BlockSizes } from '../../src/adapters/azure-blobs/azure-container.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { Azurite } from './support/azurite.js';

let azurite: Azurite;
let settings: AzureSettings;
beforeAll(async () => {
  azurite = await Azurite.start();
  settings = await azurite.container();
});
afterAll(() => azurite?.stop());

const open = (blocks?: BlockSizes) => async () => {
  const container = new AzureContainer(settings, blocks && { blocks });
  return { store: new AzureBlobStore(container), close: async () => container.close() };
};

blobStoreContract('Azure', open());
blobStoreContract('Azure, all but the smallest in blocks', open({ sent: 150_000, copied: 200_000 }));
