/*
 * What programs that use core need for their tests: `import { memoryPorts } from 'photo-service/testing'` (docs/core.md). It comes with the
 * package of the service, and needs nothing but Node.
 */
export { MemoryBlobStore } from './memory/memory-blob-store.js';
export { brokenPictureBytes, MemoryMediaReader, pictureBytes } from './memory/memory-media-reader.js';
export { SettableClock } from './memory/settable-clock.js';
export { type MemoryPorts, memoryPorts } from './memory-ports.js';
export { type RenderEvent, runJobs } from './run-jobs.js';
