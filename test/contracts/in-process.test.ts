import { BatchedImportSteps } from '../../src/adapters/batched-import-steps.js';
import { CachedVerifiedBlobs } from '../../src/adapters/cached-verified-blobs.js';
import { MemoryUploadSlots } from '../../src/adapters/memory/memory-upload-slots.js';
import { PlainImportSteps } from '../memory/plain-import-steps.js';
import { PlainUploadSlots } from '../memory/plain-upload-slots.js';
import { PlainVerifiedBlobs } from '../memory/plain-verified-blobs.js';
import { SettableClock } from '../memory/settable-clock.js';
import { importStepsContract } from './import-steps.contract.js';
import { uploadSlotsContract } from './upload-slots.contract.js';
import { verifiedBlobsContract } from './verified-blobs.contract.js';

importStepsContract('batched', (uses) => new BatchedImportSteps(uses));
importStepsContract('each alone', (uses) => new PlainImportSteps(uses));

verifiedBlobsContract('cached', (store) => new CachedVerifiedBlobs(store, new SettableClock()));
verifiedBlobsContract('hashed each time', (store) => new PlainVerifiedBlobs(store));

uploadSlotsContract('memory', () => new MemoryUploadSlots());
uploadSlotsContract('plain', () => new PlainUploadSlots());
