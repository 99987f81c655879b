/* @slow */
import { AzureBlobStore } from '../../src/adapters/azure-blobs/azure-blob-store.js';
import type { AzureSettings } from '../../src/adapters/azure-blobs/azure-blobs.js';
import { AzureContainer, type BlockSizes } from '../../src/adapters/azure-blobs/azure-container.js';
import { usualPatience } from '../../src/adapters/remote-blobs/outage.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { Azurite } from './support/azurite.js';
import { breaking, FaultFront } from './support/fault-front.js';

const BLOCK = 30_000;

/** Without a pause between attempts, of which there is one before the third. */
const patience = { ...usualPatience, attempts: 2 };

let azurite: Azurite;
let front: FaultFront;
let settings: AzureSettings;
beforeAll(async () => {
  azurite = await Azurite.start();
  front = await FaultFront.to(azurite.endpoint);
  settings = await azurite.container();
});
afterAll(async () => {
  await front?.close();
  await azurite?.stop();
});

const open = (blocks?: BlockSizes) => async () => {
  const endpoint = azurite.endpoint.replace(new URL(azurite.endpoint).origin, front.endpoint);
  const container = new AzureContainer({ ...settings, endpoint }, { patience, ...(blocks && { blocks }) });
  return { store: new AzureBlobStore(container), close: async () => container.close() };
};

blobStoreContract(
  'Azure',
  open(),
  breaking(() => front),
);
blobStoreContract('Azure, in tiny blocks', open({ sent: BLOCK, copied: 2 * BLOCK }), {
  partBytes: BLOCK,
  ...breaking(() => front),
});
