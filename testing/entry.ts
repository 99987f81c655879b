/*
 * What programs that use core, or implement its ports, need for their tests: `import { memoryPorts } from 'photo-service/testing'` (docs/core.md).
 * It comes with the package of the service, and needs nothing but Node.
 */
export { MemoryRateWindowStore } from '../src/adapters/memory/memory-rate-window-store.js';
export { contracts } from './contracts.js';
export { MemoryIpCountries } from './memory/access/memory-ip-countries.js';
export { MemoryBlobStore } from './memory/blobs/memory-blob-store.js';
export { MemoryDirectUploads } from './memory/blobs/memory-direct-uploads.js';
export { MemorySourceReader } from './memory/imports/memory-fetches.js';
export { MemoryCustomerStore } from './memory/memory-customer-store.js';
export { MemoryMailer } from './memory/memory-mailer.js';
export { brokenPictureBytes, MemoryMediaReader, pictureBytes, pictureIn } from './memory/memory-media-reader.js';
export { MemoryWebhookSender } from './memory/memory-webhooks.js';
export { MemoryGazetteer } from './memory/photos/memory-gazetteer.js';
export { SettableClock } from './memory/settable-clock.js';
export { MemoryIdentityProvider } from './memory/users/memory-identities.js';
export { type MemoryPorts, memoryPorts } from './memory-ports.js';
export { type RenderEvent, runJobs } from './run-jobs.js';
export type { TestFunctions } from './runner.js';
