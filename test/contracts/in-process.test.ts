import { BatchedImportSteps } from '../../src/adapters/decorators/batched-import-steps.js';
import { CachedVerifiedBlobs } from '../../src/adapters/decorators/cached-verified-blobs.js';
import { MemoryUploadSlots } from '../../src/adapters/memory/memory-upload-slots.js';
import type { BlobKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import type { RenditionMaking } from '../../src/core/photos/renditions/make.js';
import { PlainVerifiedBlobs } from '../../testing/memory/blobs/plain-verified-blobs.js';
import { PlainImportSteps, PlainUploadSlots } from '../../testing/memory/imports/memory-uploads.js';
import { PlainRenditionMaker } from '../../testing/memory/photos/memory-renditions.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { importStepsContract } from './import-steps.contract.js';
import { making, renditionMakerContract } from './rendition-maker.contract.js';
import { uploadSlotsContract } from './upload-slots.contract.js';
import { verifiedBlobsContract } from './verified-blobs.contract.js';

importStepsContract('batched', (uses) => new BatchedImportSteps(uses));
importStepsContract('each alone', (uses) => new PlainImportSteps(uses));

verifiedBlobsContract('cached', (store) => new CachedVerifiedBlobs(store, new SettableClock()));
verifiedBlobsContract('hashed each time', (store) => new PlainVerifiedBlobs(store));

uploadSlotsContract('memory', () => new MemoryUploadSlots());
uploadSlotsContract('plain', () => new PlainUploadSlots());

renditionMakerContract('in turns', async () => {
  const turns = new Map<BlobKey, Promise<unknown>>();
  const maker = (blobs: BlobStore, makeOne: RenditionMaking['make']) =>
    new PlainRenditionMaker(making(blobs, makeOne), turns);
  return { newCustomer: async () => 1, maker, close: async () => {} };
});
